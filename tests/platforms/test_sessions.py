"""A session on a platform is a right to ask for assignments, tied to no question."""

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
from platforms.offers.look_at_offers import leave_overdue
from platforms.sessions.finish_session import finish_session
from platforms.sessions.hold_session import HeldSession, session_quota
from platforms.sessions.open_session import identity_of, open_session
from tests.support.money import ASK, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes
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
    """An assignment that is handed in."""
    assignment = asks(session, questions)
    assert assignment is not None
    submit(assignment, *[3] * questions)
    return assignment


def finish(session: Session, **options: Any) -> Session:
    return finish_session(session_id=session.id, worker_id=session.worker_id, **options)


class TestOpening:
    def test_a_newcomer_becomes_a_worker_who_begins_with_the_test(self, offer: Offer) -> None:
        session = comes(offer, trusted=False)
        assert Identity.objects.get().worker == session.worker
        assert list(Access.objects.values_list("task", flat=True)) == [ASK.value]
        assert TrustStatus.objects.get().state == "invited"

    def test_the_same_visit_again_is_the_same_session(self, offer: Offer) -> None:
        assert comes(offer) == comes(offer)
        assert Session.objects.count() == 1

    def test_somebody_who_was_here_before_is_the_same_worker(self, project: Project, offer: Offer) -> None:
        assert comes(offer).worker == comes(an_offer(project), external_id="A2").worker

    def test_the_same_name_on_another_platform_is_somebody_else(self, project: Project, offer: Offer) -> None:
        there = an_offer(project, platform="prolific")
        assert comes(offer).worker != comes(there).worker

    def test_a_place_that_was_given_back_and_taken_by_another_is_theirs_alone(self, offer: Offer) -> None:
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

    def test_who_gave_a_place_back_may_take_it_again(self, offer: Offer) -> None:
        session = comes(offer)
        Session.objects.update(state=State.LEFT, platform_state="returned")
        again = comes(offer)
        assert again == session
        assert (again.state, again.platform_state) == (State.OPEN, "")

    @pytest.mark.parametrize("platform_state", ["approved", "rejected"])
    def test_what_was_settled_is_over(self, offer: Offer, platform_state: str) -> None:
        comes(offer)
        Session.objects.update(state=State.FINISHED, platform_state=platform_state)
        with pytest.raises(UnknownVisitorError, match="settled"):
            open_session(offer=offer, external_worker="W1", external_id="A1")


class TestAsking:
    def test_an_assignment_belongs_to_the_session(self, offer: Offer) -> None:
        session = comes(offer)
        assert works(session).session_id is None  # as it was when it was made
        assert Assignment.objects.get().session == session
        assert session_quota(session.id) == (1, 1, 1)

    def test_two_tabs_get_the_same_assignment(self, offer: Offer) -> None:
        session = comes(offer)
        assert asks(session) == asks(session)

    def test_a_session_gives_no_more_than_its_quota(self, project: Project) -> None:
        session = comes(an_offer(project, quota=2))
        works(session)
        works(session)
        with pytest.raises(SessionOverError, match="hand it in"):
            asks(session)

    def test_what_was_begun_in_another_session_goes_on_in_this_one(self, project: Project, offer: Offer) -> None:
        first, second = comes(offer, external_id="A1"), comes(an_offer(project), external_id="A2")
        begun = asks(first)
        assert asks(second) == begun
        assert Assignment.objects.get().session == second

    def test_a_session_is_for_its_own_task(self, offer: Offer) -> None:
        session = comes(offer)
        Access.objects.create(worker=session.worker, project_id=offer.project_id, task=Task.BOX_DRAWING.value)
        with pytest.raises(NoAccessError, match="box requirement"):
            lease_questions(
                project_id=offer.project_id,
                worker_id=session.worker_id,
                task=Task.BOX_DRAWING,
                session=HeldSession(session.id),
            )

    def test_a_session_of_somebody_else_gives_nothing(self, offer: Offer) -> None:
        session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
        session.worker_id = other.worker_id
        with pytest.raises(SessionOverError):
            asks(session)

    def test_a_finished_session_gives_nothing_more(self, offer: Offer) -> None:
        session = comes(offer)
        works(session)
        finish(session)
        with pytest.raises(SessionOverError):
            asks(session)

    def test_a_refusal_is_remembered_as_nothing_open(self, offer: Offer) -> None:
        session = comes(offer, trusted=False)
        with pytest.raises(NotTrustedError):  # there is no stock for a test
            asks(session)
        session.refresh_from_db()
        assert session.dry


class TestFinishing:
    def test_it_is_handed_in_once(self, offer: Offer) -> None:
        session = comes(offer)
        works(session)
        then = timezone.now()
        assert finish(session, now=then).state == State.FINISHED
        assert finish(session, now=then + timedelta(hours=1)).finished_at == then

    def test_not_before_something_was_done(self, offer: Offer) -> None:
        session = comes(offer)
        with pytest.raises(NotFinishedError, match="1 more assignment"):
            finish(session)
        asks(session)
        with pytest.raises(NotFinishedError):
            finish(session)

    def test_where_nothing_is_left_what_was_done_is_enough(self, offer: Offer) -> None:
        session = comes(an_offer(Project.objects.get(), least=5, quota=5))
        works(session, questions=10)
        works(session, questions=2)
        assert asks(session) is None
        assert finish(session).state == State.FINISHED

    def test_one_that_was_given_back_can_not_be_handed_in(self, offer: Offer) -> None:
        session = comes(offer)
        works(session)
        Session.objects.update(state=State.LEFT)
        with pytest.raises(SessionOverError):
            finish(session)

    def test_nobody_hands_in_for_somebody_else(self, offer: Offer) -> None:
        session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
        works(session)
        with pytest.raises(SessionOverError):
            finish_session(session_id=session.id, worker_id=other.worker_id)

    def test_what_is_forgotten_ends_with_its_time(self, offer: Offer) -> None:
        session = comes(offer)
        assert leave_overdue(offer, timezone.now() + timedelta(minutes=64)) == 0
        assert leave_overdue(offer, timezone.now() + timedelta(minutes=66)) == 1
        session.refresh_from_db()
        assert session.state == State.LEFT

    def test_answers_that_come_after_that_are_taken_and_owed(self, offer: Offer) -> None:
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


def test_two_at_once_become_one_worker(offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """When we look the other one's row is not there yet; when we write it is."""
    real = QuerySet.first

    def not_yet(rows: Any) -> Any:
        monkeypatch.setattr(QuerySet, "first", real)
        return None

    first = comes(offer)
    monkeypatch.setattr(QuerySet, "first", not_yet)
    assert identity_of("mturk", "W1").worker == first.worker
    assert Worker.objects.count() == 1
