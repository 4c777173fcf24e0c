"""A worker from a platform gets a session, and always the same one for the same visit."""

from typing import Any

import pytest
from django.db.models import QuerySet

from annotation.models import Project
from pipeline.errors import SessionOverError
from platforms.contract.errors import UnknownVisitorError
from platforms.models import Identity, Offer, Session
from platforms.sessions.open_session import identity_of, open_session
from tests.support.money import ASK
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes
from workers.models import Access, TrustStatus, Worker

pytestmark = pytest.mark.django_db
State = Session.State


def test_a_newcomer_becomes_a_worker_who_starts_with_the_test(offer: Offer) -> None:
    session = comes(offer, trusted=False)
    assert Identity.objects.get().worker == session.worker
    assert list(Access.objects.values_list("task", flat=True)) == [ASK.value]
    assert TrustStatus.objects.get().state == "invited"


def test_the_same_visit_again_is_the_same_session(offer: Offer) -> None:
    assert comes(offer) == comes(offer)
    assert Session.objects.count() == 1


def test_a_second_session_has_the_same_worker(project: Project, offer: Offer) -> None:
    assert comes(offer).worker == comes(an_offer(project), external_id="A2").worker


def test_the_same_name_on_another_platform_is_somebody_else(project: Project, offer: Offer) -> None:
    there = an_offer(project, platform="prolific")
    assert comes(offer).worker != comes(there).worker


def test_a_place_that_was_given_back_and_taken_by_another_is_theirs_alone(offer: Offer) -> None:
    first = comes(offer, "W1", "A1")
    assignment = asks(first)
    second = comes(offer, "W2", "A1")
    first.refresh_from_db()
    assert (first.state, second.state) == (State.LEFT, State.OPEN)
    assert second.worker != first.worker
    with pytest.raises(SessionOverError, match="given back"):
        asks(first)
    assert assignment is not None
    assert submit(assignment, *[3] * 10).stored, "what the first one did is not lost"


@pytest.mark.both_engines
def test_a_place_that_was_given_back_can_be_taken_again(offer: Offer) -> None:
    session = comes(offer)
    Session.objects.update(state=State.LEFT, platform_state="returned")
    again = comes(offer)
    assert again == session
    assert (again.state, again.platform_state) == (State.OPEN, "")


@pytest.mark.parametrize("platform_state", ["approved", "rejected"])
def test_what_was_settled_is_over(offer: Offer, platform_state: str) -> None:
    comes(offer)
    Session.objects.update(state=State.FINISHED, platform_state=platform_state)
    with pytest.raises(UnknownVisitorError, match="settled"):
        open_session(offer=offer, external_worker="W1", external_id="A1")


@pytest.mark.both_engines
def test_two_visits_at_once_become_one_worker(offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other visit's row appears between our read and our write."""
    real = QuerySet.first

    def not_yet(rows: Any) -> Any:
        monkeypatch.setattr(QuerySet, "first", real)
        return None

    first = comes(offer)
    monkeypatch.setattr(QuerySet, "first", not_yet)
    assert identity_of("mturk", "W1").worker == first.worker
    assert Worker.objects.count() == 1
