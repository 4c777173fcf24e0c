"""End an assignment without answers: its worker returns it, or its time runs out. Its questions are open again."""

from datetime import datetime
from uuid import UUID

from django.db.models import Sum

from pipeline.asking.note_shown import take_back_shown
from pipeline.asking.read_assignment import lock_assignment
from pipeline.models import Assignment
from pipeline.money.spend_cap import release_reward
from pipeline.record.question_state import release_all
from upkeep import clock
from upkeep.atomic_again import atomic_again


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
    end_assignments([one.id for one in ahead], Assignment.State.RETURNED, now)
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
    ahead = [one for one in rows if one.ahead]
    ended = end_assignments([one.id for one in ahead], Assignment.State.RETURNED, now)
    take_back_shown(ahead)
    begun = [one.id for one in rows if not one.ahead]
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
