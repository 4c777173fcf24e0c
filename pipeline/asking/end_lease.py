"""End an assignment without answers: the worker returns it, or its time runs out. Its questions are open again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from pipeline.asking.lock_assignment import lock_assignment
from pipeline.models import Assignment, Question
from pipeline.money.reserve_reward import release_reward


@transaction.atomic
def return_assignment(*, assignment_id: int | UUID, worker_id: int, now: datetime | None = None) -> bool:
    """False: it had ended already. NotYoursError: it is another worker's."""
    assignment = lock_assignment(assignment_id, worker_id)
    return end_assignments([assignment.id], Assignment.State.RETURNED, now or timezone.now()) == 1


@transaction.atomic
def expire_assignments(*, worker_id: int | None = None, now: datetime | None = None) -> int:
    """End every assignment whose lease ran out, or every one of the worker's; the rows stay. Returns how many."""
    now = now or timezone.now()
    due = Assignment.objects.filter(state=Assignment.State.ACTIVE, expires_at__lte=now)
    if worker_id is not None:
        due = due.filter(worker=worker_id)
    ids = list(due.select_for_update(skip_locked=True).values_list("id", flat=True))
    return end_assignments(ids, Assignment.State.EXPIRED, now)


def end_assignments(ids: list[int], state: Assignment.State, now: datetime) -> int:
    """Of those still active. Runs in the caller's transaction, which holds their rows. Returns how many."""
    if not ids:
        return 0
    rows = Assignment.objects.filter(id__in=ids, state=Assignment.State.ACTIVE)
    for project, cents in (
        rows.values("project").annotate(Sum("reward_cents")).values_list("project", "reward_cents__sum")
    ):
        release_reward(project, cents)
    # What was handed in may still hold its questions: it waits for its batch.
    active = list(rows.values_list("id", flat=True))
    rows.update(state=state, ended_at=now)
    Question.objects.filter(assignment_id__in=active).update(assignment=None)
    return len(active)
