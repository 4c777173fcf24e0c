"""Take up again what a worker has begun, or begin what was leased ahead of time."""

from datetime import datetime, timedelta

from pipeline.asking.end_lease import end_assignments, return_ahead
from pipeline.asking.note_shown import take_back_shown
from pipeline.asking.read_assignment import Lease, items_of, lock_questions
from pipeline.models import Assignment, Question
from pipeline.money.spend_cap import release_reward
from pipeline.record.question_state import lend
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState

KEPT = timedelta(hours=24)
"""Time after the end of its lease in which an assignment can be taken up again."""


def take_up_again(held: int, settings: ProtocolSettings, now: datetime) -> Lease | None:
    """Return the assignment if its lease is running, or ran out while nobody else has got its questions; else None.

    What it showed is taken back then, whatever that was: waiting until the time runs out brings no better draw, and
    what comes again later is no likelier of one kind.
    """
    assignment = Assignment.objects.select_for_update().get(id=held)
    if assignment.ahead:
        return _begin(assignment, settings, now)
    begun = assignment.state in (Assignment.State.ACTIVE, Assignment.State.EXPIRED)
    if not begun:
        return None
    if assignment.acceptance == Assignment.Acceptance.REFUSED and assignment.expires_at <= now:
        take_back_shown([assignment])
        return None
    found = lock_questions(assignment)
    lease = Lease(assignment, items_of(assignment, found), settings)
    if assignment.state == Assignment.State.ACTIVE and assignment.expires_at > now:
        return lease
    too_old = assignment.expires_at <= now - KEPT
    if too_old or not all(needs_answer(question, assignment) for question in found.values()):
        return_ahead(assignment, now)
        end_assignments([held], Assignment.State.EXPIRED, now)
        take_back_shown([assignment])
        return None
    if assignment.state == Assignment.State.EXPIRED:
        release_reward(assignment.project_id, -assignment.reward_cents)
    assignment.state, assignment.ended_at = Assignment.State.ACTIVE, None
    assignment.expires_at = now + timedelta(minutes=settings.lease_minutes)
    assignment.save(update_fields=["state", "ended_at", "expires_at"])
    lend([*assignment.questions, *assignment.spare], assignment.id)
    return lease


def _begin(ahead: Assignment, settings: ProtocolSettings, now: datetime) -> Lease | None:
    """Let the worker begin what was leased ahead of time; None if its time ran out or it would not be used."""
    if ahead.expires_at <= now or ahead.acceptance == Assignment.Acceptance.REFUSED:
        return_ahead(ahead, now)
        return None
    ahead.ahead, ahead.created_at = False, now
    ahead.expires_at = now + timedelta(minutes=settings.lease_minutes)
    ahead.save(update_fields=["ahead", "created_at", "expires_at"])
    return Lease(ahead, items_of(ahead, lock_questions(ahead)), settings)


def needs_answer(question: Question, assignment: Assignment) -> bool:
    """Return whether the question is open, on loan to this assignment or to none, and its worker may answer it."""
    return (
        question.state == QuestionState.OPEN.value
        and question.assignment_id in (assignment.id, None)
        and assignment.worker_id not in question.barred
        and assignment.worker_id not in question.skipped
    )
