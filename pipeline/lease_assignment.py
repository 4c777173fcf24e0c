"""Lease a batch of open questions of one task to one worker."""

from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.errors import NoAccessError
from pipeline.models import Assignment, Question
from pipeline.rules.task import QuestionState, Task
from pipeline.settings_versions import current_settings
from workers.models import Access, Worker

LOOK_AT_ONCE = 4
"""Open questions looked at per question wanted; more are looked at while the worker is barred from many."""


@transaction.atomic
def lease_assignment(
    *, project_id: int, worker: Worker, task: Task, size: int | None = None, now: datetime | None = None
) -> Assignment | None:
    """The worker's assignment of this task: the one they hold already, or a new one; None: nothing is open for them.

    Questions are taken oldest first and locked; on PostgreSQL those that another worker is just taking are passed over,
    on SQLite writers wait for one another. A question is leased to one worker at a time, so no rule gets more
    judgments than it needs. Images without pixels go to virtual workers only. NoAccessError: not admitted.
    """
    now = now or timezone.now()
    access = Access.objects.filter(project_id=project_id, worker=worker, task=task.value)
    if not access.select_for_update():  # locked, so that a worker who asks twice at once gets one assignment
        raise NoAccessError
    held = Assignment.objects.filter(project_id=project_id, worker=worker, task=task.value, state="active").first()
    if held is not None and held.expires_at > now:
        return held
    _, settings = current_settings(project_id)
    questions = _free_questions(project_id, worker, task, size or settings.batch[task.value])
    if not questions:
        return None
    assignment = Assignment(
        project_id=project_id,
        worker=worker,
        task=task.value,
        questions=questions,
        created_at=now,
        expires_at=now + timedelta(minutes=settings.lease_minutes),
    )
    assignment.save(force_insert=True)
    Question.objects.filter(id__in=questions).update(assignment=assignment)
    return assignment


def _free_questions(project_id: int, worker: Worker, task: Task, wanted: int) -> list[int]:
    free = Question.objects.filter(
        project_id=project_id, task=task.value, state=QuestionState.OPEN.value, assignment=None
    ).order_by("id")
    if worker.kind != Worker.Kind.VIRTUAL:
        free = free.filter(for_people=True)
    found: list[int] = []
    last = 0
    look = LOOK_AT_ONCE * wanted
    while len(found) < wanted:
        page = list(free.filter(id__gt=last).values_list("id", "barred")[:look])
        eligible = [question for question, barred in page if worker.id not in barred]
        found += _claimed(free, eligible, wanted - len(found))
        if len(page) < look:
            break
        last, look = page[-1][0], 2 * look
    return found


def _claimed(free: QuerySet[Question], eligible: list[int], wanted: int) -> list[int]:
    """As many of the eligible questions as wanted, locked; none but these, so that others find the rest."""
    if not eligible or not connection.features.has_select_for_update:  # SQLite: nobody else is writing
        return eligible[:wanted]
    rows = free.filter(id__in=eligible).select_for_update(skip_locked=True, of=("self",))
    return list(rows.values_list("id", flat=True)[:wanted])
