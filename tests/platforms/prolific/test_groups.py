"""Newcomers, workers who passed the test and workers who may not work see different studies."""

import pytest

from platforms.contract.errors import PlatformError
from platforms.models import Counterpart, Offer
from platforms.prolific.platform import ProlificPlatform
from tests.platforms.prolific.samples import FEW_FAULTS, a_project, an_offer, open_offer
from tests.platforms.samples import ask_again
from tests.twins.faults import How, Kind
from tests.twins.prolific import Participant, ProlificTwin
from tests.twins.prolific.wire import Refusal

pytestmark = pytest.mark.django_db


def admits(who: Participant, offer: Offer) -> bool:
    try:
        who.give_back(who.reserve(offer.external_id))
    except Refusal:
        return False
    return True


def test_newcomers_and_those_who_passed_see_different_studies_and_who_is_out_sees_none(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    entry, work = open_offer(prolific), open_offer(prolific, Offer.Kind.WORK)
    new, passed, out = (twin.participant() for _ in range(3))
    prolific.screen(project_id=a_project().pk, task="box_quality", passed={passed.id: True, out.id: False})
    seen = [(admits(who, entry), admits(who, work)) for who in (new, passed, out)]
    assert seen == [(True, False), (False, True), (False, False)]


def test_a_worker_who_lost_trust_and_won_it_back_sees_what_they_may_do(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    work = open_offer(prolific, Offer.Kind.WORK)
    someone = twin.participant()
    for result in (True, False, True, True):
        prolific.screen(project_id=a_project().pk, task="box_quality", passed={someone.id: result})
        assert admits(someone, work) is result


def test_a_worker_who_is_a_newcomer_again_is_in_no_group(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    entry = open_offer(prolific)
    someone = twin.participant()
    for result in (False, None):
        prolific.screen(project_id=a_project().pk, task="box_quality", passed={someone.id: result})
    assert admits(someone, entry)


def test_the_groups_of_another_task_and_of_another_project_are_others(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    someone = twin.participant()
    prolific.screen(project_id=a_project().pk, task="box_quality", passed={someone.id: True})
    for changes in ({"task": "box_drawing"}, {"project_id": a_project("beaches").pk}):
        offer = open_offer(prolific, Offer.Kind.WORK, **changes)
        assert not admits(someone, offer)


@pytest.mark.parametrize(("how", "kind"), FEW_FAULTS)
def test_groups_are_made_once_whatever_fails(
    twin: ProlificTwin, prolific: ProlificPlatform, how: How, kind: Kind
) -> None:
    offer = an_offer()
    twin.fail("POST", "/participant-groups/", how=how, kind=kind)
    with pytest.raises(PlatformError):
        prolific.publish(offer)
    prolific.publish(ask_again(offer))
    assert len(twin.account.groups) == 2


def test_existing_groups_are_found(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    open_offer(prolific)
    Counterpart.objects.all().delete()
    open_offer(prolific, Offer.Kind.WORK)
    assert len(twin.account.groups) == 2


@pytest.mark.parametrize(("how", "kind"), FEW_FAULTS)
def test_a_result_is_reported_although_a_call_fails(
    twin: ProlificTwin, prolific: ProlificPlatform, how: How, kind: Kind
) -> None:
    work = open_offer(prolific, Offer.Kind.WORK)
    someone = twin.participant()
    for method in ("POST", "DELETE"):
        twin.fail(method, "/participant-groups/*/participants/", how=how, kind=kind)
    prolific.screen(project_id=a_project().pk, task="box_quality", passed={someone.id: True})
    assert admits(someone, work)
