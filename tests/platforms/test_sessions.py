"""Sessions on a platform: opened by a visit, a right to ask for assignments, and handed in once they have enough."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Project
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NoAccessError, NotFinishedError, NotTrustedError, SessionOverError
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from platforms.contract.errors import UnknownVisitorError
from platforms.models import Identity, Offer, Session
from platforms.offers.read_offers import leave_overdue
from platforms.sessions.hold_session import HeldSession, finish_session, session_quota
from platforms.sessions.open_session import identity_of, open_session
from tests.support.money import ASK, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes, given_in
from workers.models import Access, TrustStatus, Worker

pytestmark = pytest.mark.django_db
State = Session.State


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def offer(project: Project) -> Offer:
    return an_offer(project)


def works(session: Session, questions: int = 2) -> Assignment:
    """Submit one assignment."""
    assignment = given_in(session, questions)
    submit(assignment, *[3] * questions)
    return assignment


def test_an_assignment_belongs_to_the_session(offer: Offer) -> None:
    session = comes(offer)
    assert works(session).session_id is None  # as it was when it was made
    assert Assignment.objects.get().session == session
    assert session_quota(session.id) == (1, 1, 1)


def test_two_tabs_get_the_same_assignment(offer: Offer) -> None:
    session = comes(offer)
    assert asks(session) == asks(session)


def test_a_session_gives_no_more_than_its_quota(project: Project) -> None:
    session = comes(an_offer(project, quota=2))
    works(session)
    works(session)
    with pytest.raises(SessionOverError, match="hand it in"):
        asks(session)


def test_what_was_begun_in_another_session_goes_on_in_this_one(project: Project, offer: Offer) -> None:
    first, second = comes(offer, external_id="A1"), comes(an_offer(project), external_id="A2")
    begun = asks(first)
    assert asks(second) == begun
    assert Assignment.objects.get().session == second


def test_a_session_is_for_its_own_task(offer: Offer) -> None:
    session = comes(offer)
    Access.objects.create(worker=session.worker, project_id=offer.project_id, task=Task.BOX_DRAWING.value)
    with pytest.raises(NoAccessError, match="box requirement"):
        lease_questions(
            project_id=offer.project_id,
            worker_id=session.worker_id,
            task=Task.BOX_DRAWING,
            session=HeldSession(session.id),
        )


def test_a_session_of_somebody_else_gives_nothing(offer: Offer) -> None:
    session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
    session.worker_id = other.worker_id
    with pytest.raises(SessionOverError):
        asks(session)


def test_a_finished_session_gives_nothing_more(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    finish_session(session_id=session.id, worker_id=session.worker_id)
    with pytest.raises(SessionOverError):
        asks(session)


def test_a_refusal_is_remembered_as_nothing_open(offer: Offer) -> None:
    session = comes(offer, trusted=False)
    with pytest.raises(NotTrustedError):  # there is no stock for a test
        asks(session)
    session.refresh_from_db()
    assert session.nothing_open


@pytest.mark.both_engines
def test_a_session_leases_ahead_only_what_it_still_needs(project: Project) -> None:
    session = comes(an_offer(project, quota=3, least=2))
    for needed in (True, False):
        current = given_in(session, 2)
        following = lease_questions(
            project_id=project.id,
            worker_id=session.worker_id,
            task=Task.BOX_REQUIREMENT,
            session=HeldSession(session.id),
            ahead_of=current.token,
        )
        assert (following is not None) == needed
        submit(current, *[3] * current.size)
        session.refresh_from_db()
        assert not session.nothing_open


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
    assert leave_overdue(offer, session.ends_at + timedelta(minutes=4)) == 0
    assert leave_overdue(offer, session.ends_at + timedelta(minutes=6)) == 1
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
