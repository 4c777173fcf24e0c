"""Newcomers find offers for newcomers, workers who passed the test find work, and all others find nothing."""

from typing import Any

import pytest

from platforms.contract.errors import RefusedError, UnsureError
from platforms.models import Counterpart, Offer
from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import ANN, BOB, CAY, FAULTS, an_offer, open_offer
from tests.support.rows import make_project
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin

pytestmark = pytest.mark.django_db


@pytest.fixture
def offers(mturk: MTurkPlatform) -> dict[str, str]:
    """The kind of each offer by its HIT id."""
    project = make_project()
    made = {kind.value: open_offer(mturk, kind, project=project) for kind in Offer.Kind}
    return {offer.external_id: kind for kind, offer in made.items()}


def found(twin: MTurkTwin, offers: dict[str, str], worker: str) -> list[str]:
    return [offers[hit.id] for hit in twin.discover(worker)]


def report(mturk: MTurkPlatform, passed: dict[str, bool | None]) -> None:
    mturk.screen(project_id=Offer.objects.latest("id").project_id, task="box_quality", passed=passed)


def test_each_finds_what_is_for_them(mturk: MTurkPlatform, twin: MTurkTwin, offers: dict[str, str]) -> None:
    for worker in (ANN, BOB, CAY):
        twin.worker(worker, approved=500)
    assert found(twin, offers, ANN) == ["entry"]
    report(mturk, {ANN: True, BOB: False, CAY: None})
    assert [found(twin, offers, worker) for worker in (ANN, BOB, CAY)] == [["work"], [], ["entry"]]
    report(mturk, {ANN: False, BOB: None})
    assert [found(twin, offers, worker) for worker in (ANN, BOB, CAY)] == [[], ["entry"], ["entry"]]
    report(mturk, {ANN: False, BOB: None, CAY: True})
    assert [found(twin, offers, worker) for worker in (ANN, BOB, CAY)] == [[], ["entry"], ["work"]]
    assert twin.mails == []


def test_newcomers_need_experience(twin: MTurkTwin, offers: dict[str, str]) -> None:
    twin.worker(ANN, approved=499)
    twin.worker(BOB, approved=940, rejected=60)
    twin.worker(CAY, approved=950, rejected=50)
    assert [found(twin, offers, worker) for worker in (ANN, BOB, CAY)] == [[], [], ["entry"]]


def test_experience_can_be_left_out(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    shown = {"title": "Boxes", "description": "Look."}
    offer = open_offer(mturk, Offer.Kind.ENTRY, terms={**shown, "approved_least": 0, "approved_percent": 0})
    twin.worker(BOB, rejected=1)
    assert [hit.id for hit in twin.discover(BOB)] == [offer.external_id]


@pytest.mark.parametrize(("how", "kind"), FAULTS)
def test_a_result_reported_again_after_a_failure_is_the_same(
    mturk: MTurkPlatform, twin: MTurkTwin, offers: dict[str, str], how: How, kind: Kind
) -> None:
    twin.worker(ANN, approved=500)
    for operation, passed, finds in (
        ("AssociateQualificationWithWorker", True, ["work"]),
        ("DisassociateQualificationFromWorker", None, ["entry"]),
    ):
        twin.fail(operation, how, kind)
        with pytest.raises(UnsureError):
            report(mturk, {ANN: passed})
        report(mturk, {ANN: passed})
        assert found(twin, offers, ANN) == finds


def test_an_unknown_worker_keeps_no_other_result_from_being_reported(
    mturk: MTurkPlatform, twin: MTurkTwin, offers: dict[str, str]
) -> None:
    with pytest.raises(RefusedError):
        report(mturk, {"nobody": True, BOB: True})
    assert found(twin, offers, BOB) == ["work"]


def test_each_project_and_task_has_a_qualification_of_its_own(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    one, other = make_project("one"), make_project("other")
    mturk.screen(project_id=one.id, task="box_quality", passed={BOB: True})
    mine = open_offer(mturk, project=one)
    open_offer(mturk, project=other)
    open_offer(mturk, project=one, task="box_drawing")
    assert [hit.id for hit in twin.discover(BOB)] == [mine.external_id]


def test_two_services_with_one_account_do_not_mix_their_workers(
    mturk: MTurkPlatform, twin: MTurkTwin, settings: Any
) -> None:
    project = make_project()
    mturk.screen(project_id=project.id, task="box_quality", passed={BOB: True})
    Counterpart.objects.all().delete()
    settings.ADDRESS = "http://other.localhost"
    mturk.publish(an_offer(project=project))
    assert twin.discover(BOB) == []


def test_a_qualification_that_we_forgot_is_found_by_its_name(mturk: MTurkPlatform) -> None:
    project = make_project()
    mturk.screen(project_id=project.id, task="box_quality", passed={BOB: True})
    before = Counterpart.objects.get()
    Counterpart.objects.all().delete()
    mturk.screen(project_id=project.id, task="box_quality", passed={BOB: True})
    assert Counterpart.objects.get().external_id == before.external_id
