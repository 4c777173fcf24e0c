"""A session is handed in once it has what it needs."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotFinishedError, SessionOverError
from pipeline.models import Assignment
from platforms.models import Offer, Session
from platforms.offers.read_offers import leave_overdue
from platforms.sessions.hold_session import finish_session
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes

pytestmark = pytest.mark.django_db
State = Session.State


def works(session: Session, questions: int = 2) -> Assignment:
    """Submit one assignment."""
    assignment = asks(session, questions)
    assert assignment is not None
    submit(assignment, *[3] * questions)
    return assignment


def finish(session: Session, **options: Any) -> Session:
    return finish_session(session_id=session.id, worker_id=session.worker_id, **options)


def test_it_is_handed_in_once(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    then = timezone.now()
    assert finish(session, now=then).state == State.FINISHED
    assert finish(session, now=then + timedelta(hours=1)).finished_at == then


def test_not_before_something_was_done(offer: Offer) -> None:
    session = comes(offer)
    with pytest.raises(NotFinishedError, match="1 more assignment"):
        finish(session)
    asks(session)
    with pytest.raises(NotFinishedError):
        finish(session)


def test_where_nothing_is_left_what_was_done_is_enough(offer: Offer) -> None:
    session = comes(an_offer(Project.objects.get(), least=5, quota=5))
    works(session, questions=10)
    works(session, questions=2)
    assert asks(session) is None
    assert finish(session).state == State.FINISHED


def test_one_that_was_given_back_can_not_be_handed_in(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    Session.objects.update(state=State.LEFT)
    with pytest.raises(SessionOverError):
        finish(session)


def test_nobody_hands_in_for_somebody_else(offer: Offer) -> None:
    session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
    works(session)
    with pytest.raises(SessionOverError):
        finish_session(session_id=session.id, worker_id=other.worker_id)


def test_a_forgotten_session_ends_with_its_time(offer: Offer) -> None:
    session = comes(offer)
    assert leave_overdue(offer, timezone.now() + timedelta(minutes=64)) == 0
    assert leave_overdue(offer, timezone.now() + timedelta(minutes=66)) == 1
    session.refresh_from_db()
    assert session.state == State.LEFT


def test_answers_that_come_after_that_are_taken_and_owed(offer: Offer) -> None:
    session = comes(offer)
    assignment = asks(session, 2)
    Session.objects.update(state=State.LEFT)
    assert assignment is not None
    receipt = submit_assignment(
        assignment_id=assignment.token,
        worker_id=session.worker_id,
        answers=[Given(3), Given(3)],
    )
    assert receipt.earned_cents > 0
