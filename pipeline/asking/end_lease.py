"""End an assignment without answers, whose questions are open again then, and take up again what was begun."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Sum

from pipeline.asking.draw_items import take_back_shown
from pipeline.asking.read_assignment import LeasedAssignment, items_of, lock_assignment, lock_questions
from pipeline.models import Assignment, Question
from pipeline.money.spend_cap import release_reward
from pipeline.protocol.tasks.task import QuestionState
from pipeline.record.question_state import lend, release_all
from pipeline.settings.settings import Settings
from runtime import clock
from runtime.database import atomic_again


@atomic_again
def return_assignment(*, assignment_id: int | UUID, worker_id: int, now: datetime | None = None) -> bool:
    """End the assignment that its worker gives back, with the one leased ahead of time. False: it had ended already.

    Raises NoSuchAssignmentError, or NotYoursError if another worker holds it.
    """
    now = now or clock.now()
    assignment = lock_assignment(assignment_id, worker_id)
    if not assignment.ahead:
        return_ahead(assignment, now)
    ended = end_assignments([assignment.id], Assignment.State.RETURNED, now) == 1
    if ended:
        take_back_shown([assignment])
    return ended


def return_ahead(assignment: Assignment, now: datetime) -> None:
    """Return what was leased ahead of time to the worker of this assignment and its task, if anything is.

    The later assignment is taken back first: the places of both are drawn by the number of questions before them.
    """
    of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
    ahead = list(Assignment.objects.select_for_update().filter(**of, ahead=True, state=Assignment.State.ACTIVE))
    end_assignments([assignment.id for assignment in ahead], Assignment.State.RETURNED, now)
    take_back_shown(ahead)


@atomic_again
def expire_assignments(*, worker_id: int | None = None, now: datetime | None = None) -> int:
    """End all assignments, or all of one worker, whose lease has run out. Returns how many.

    Those that were leased ahead of time and never begun are returned: nobody can take them up again.
    """
    now = now or clock.now()
    due = Assignment.objects.filter(state=Assignment.State.ACTIVE, expires_at__lte=now)
    if worker_id is not None:
        due = due.filter(worker=worker_id)
    rows = list(due.select_for_update(skip_locked=True))
    ahead = [row for row in rows if row.ahead]
    ended = end_assignments([assignment.id for assignment in ahead], Assignment.State.RETURNED, now)
    take_back_shown(ahead)
    begun = [row.id for row in rows if not row.ahead]
    return ended + end_assignments(begun, Assignment.State.EXPIRED, now)


def end_assignments(ids: list[int], state: Assignment.State, now: datetime) -> int:
    """End those of the assignments that are active, and return how many. The caller holds their rows locked."""
    if not ids:
        return 0
    rows = Assignment.objects.filter(id__in=ids, state=Assignment.State.ACTIVE)
    for project, cents in (
        rows.values("project").annotate(Sum("reward_cents")).values_list("project", "reward_cents__sum")
    ):
        release_reward(project, cents)
    # Only the active ones: a submitted assignment may keep its questions on loan, until its batch is judged.
    active = list(rows.values_list("id", flat=True))
    rows.update(state=state, ended_at=now)
    release_all(active)
    return len(active)


RESUMABLE_FOR = timedelta(hours=24)
"""Time after the end of its lease in which an assignment can be taken up again."""


def take_up_again(assignment_id: int, settings: Settings, now: datetime) -> LeasedAssignment | None:
    """Return the assignment if its lease is running, or ran out while nobody else has got its questions; else None.

    What it showed is taken back then, whatever that was: waiting until the time runs out brings no better draw, and
    what comes again later is no likelier of one kind.
    """
    assignment = Assignment.objects.select_for_update().get(id=assignment_id)
    if assignment.ahead:
        return _begin(assignment, settings, now)
    begun = assignment.state in (Assignment.State.ACTIVE, Assignment.State.EXPIRED)
    if not begun:
        return None
    if assignment.acceptance == Assignment.Acceptance.REFUSED and assignment.expires_at <= now:
        take_back_shown([assignment])
        return None
    found = lock_questions(assignment)
    lease = LeasedAssignment(assignment, items_of(assignment, found), settings)
    if assignment.state == Assignment.State.ACTIVE and assignment.expires_at > now:
        return lease
    too_old = assignment.expires_at <= now - RESUMABLE_FOR
    if too_old or not all(needs_answer(question, assignment) for question in found.values()):
        return_ahead(assignment, now)
        end_assignments([assignment_id], Assignment.State.EXPIRED, now)
        take_back_shown([assignment])
        return None
    if assignment.state == Assignment.State.EXPIRED:
        release_reward(assignment.project_id, -assignment.reward_cents)
    assignment.state, assignment.ended_at = Assignment.State.ACTIVE, None
    assignment.expires_at = now + timedelta(minutes=settings.lease_minutes)
    assignment.save(update_fields=["state", "ended_at", "expires_at"])
    lend([*assignment.questions, *assignment.spare], assignment.id)
    return lease


def _begin(ahead: Assignment, settings: Settings, now: datetime) -> LeasedAssignment | None:
    """Let the worker begin what was leased ahead of time; None if its time ran out or it would not be used."""
    if ahead.expires_at <= now or ahead.acceptance == Assignment.Acceptance.REFUSED:
        return_ahead(ahead, now)
        return None
    ahead.ahead, ahead.created_at = False, now
    ahead.expires_at = now + timedelta(minutes=settings.lease_minutes)
    ahead.save(update_fields=["ahead", "created_at", "expires_at"])
    return LeasedAssignment(ahead, items_of(ahead, lock_questions(ahead)), settings)


def needs_answer(question: Question, assignment: Assignment) -> bool:
    """Return whether the question is open, on loan to this assignment or to none, and its worker may answer it."""
    return (
        question.state == QuestionState.OPEN.value
        and question.assignment_id in (assignment.id, None)
        and assignment.worker_id not in question.barred
        and assignment.worker_id not in question.skipped
    )
