"""End an assignment without answers: its worker returns it, or its time runs out. Its questions are open again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from pipeline.asking.read_assignment import lock_assignment
from pipeline.models import Assignment
from pipeline.money.spend_cap import release_reward
from pipeline.record.question_state import release_all


@transaction.atomic
def return_assignment(*, assignment_id: int | UUID, worker_id: int, now: datetime | None = None) -> bool:
    """End the assignment that its worker gives back. Returns False if it had ended already.

    Raises NoSuchAssignmentError, or NotYoursError if another worker holds it.
    """
    assignment = lock_assignment(assignment_id, worker_id)
    return end_assignments([assignment.id], Assignment.State.RETURNED, now or timezone.now()) == 1


@transaction.atomic
def expire_assignments(*, worker_id: int | None = None, now: datetime | None = None) -> int:
    """End all assignments, or all of one worker, whose lease has run out. Returns how many."""
    now = now or timezone.now()
    due = Assignment.objects.filter(state=Assignment.State.ACTIVE, expires_at__lte=now)
    if worker_id is not None:
        due = due.filter(worker=worker_id)
    ids = list(due.select_for_update(skip_locked=True).values_list("id", flat=True))
    return end_assignments(ids, Assignment.State.EXPIRED, now)


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
