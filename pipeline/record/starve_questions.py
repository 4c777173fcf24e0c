"""Starve questions: give up open questions that nobody with access to the task may answer."""

from collections import defaultdict
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain
from operator import or_

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.lookups import GreaterThanOrEqual

from pipeline.errors import StateMovedError
from pipeline.models import Question
from pipeline.project.open_questions import LARGE_CREW, few_free_questions, free_questions, holds, is_first_caption
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import Task
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.apply_judgments import waiting_judgments
from runtime import clock
from runtime.database import PreparedQuery, Slot, slots
from workers.models import Access, TrustStatus
from workers.rules.trust_states import TrustState


def starved_questions(project_id: int) -> list[Question]:
    """Return the starved questions, which the requester is shown at once.

    A task to which nobody at all is admitted waits for workers; its questions do not starve.
    """
    crews = dict(CREWS.run(project=project_id))
    captions = _captions_without_workers(project_id) if crews.pop(Task.CAPTION_CHECK.value, 0) else []
    large = sorted(task for task, workers in crews.items() if workers >= LARGE_CREW)
    of_large = OUT_OF_MANY.run(*large, project=project_id, workers=[crews[task] for task in large]) if large else []
    small = [task for task in crews if task not in large]
    found = [OUT_OF_FEW.run(Task(task), project=project_id, workers=crews[task]) for task in small]
    candidates: dict[str, list[Question]] = defaultdict(list)
    for question in chain(*found, of_large):
        candidates[question.task].append(question)
    starved: list[Question] = []
    for task, questions in candidates.items():
        admitted = set(_may_answer(project_id).filter(task=task).values_list("worker_id", flat=True))
        starved += [question for question in questions if admitted <= {*question.barred, *question.skipped}]
    return starved + captions


def _captions_without_workers(project_id: int) -> list[Question]:
    """Return the caption checks that nobody may answer.

    What a worker has met of a picture is not written on its questions. So the free ones are searched worker by worker:
    as long as the first workers may answer them all, that ends at once.
    """
    left = free_questions(project_id, Task.CAPTION_CHECK)
    admitted = _may_answer(project_id).filter(task=Task.CAPTION_CHECK.value).order_by("id")
    for worker in admitted.values_list("worker_id", flat=True):
        out = Q(holds("barred", worker)) | Q(holds("skipped", worker)) | ~Q(is_first_caption(worker, project_id))
        found = list(left.filter(out).values_list("id", flat=True))
        if not found:
            return []
        left = Question.objects.filter(id__in=found).order_by("id")
    return list(left)


def _may_answer(project_id: int | Slot) -> QuerySet[Access]:
    """Return the access of workers who may answer now or later: all except those who are barred for good."""
    trust = {"worker": OuterRef("worker"), "project_id": OuterRef("project_id"), "task": OuterRef("task")}
    barred = TrustStatus.objects.filter(**trust, state=TrustState.BARRED.value)
    return Access.objects.filter(~Exists(barred), project_id=project_id)


def _out(workers: Slot) -> GreaterThanOrEqual:
    """Select the questions that `workers` workers may not answer. A barred worker who skipped counts twice."""
    return GreaterThanOrEqual(F("barred_count") + F("skipped_count"), workers)


def _out_of_many(*tasks: str) -> QuerySet[Question]:
    short = [Q(_out(slot), task=task) for task, slot in zip(tasks, slots("workers", len(tasks)), strict=True)]
    return few_free_questions(Slot("project"), tasks).filter(reduce(or_, short))


CREWS: PreparedQuery[tuple[str, int]] = PreparedQuery(
    lambda: _may_answer(Slot("project")).values("task").annotate(workers=Count("id")).values_list("task", "workers")
)
"""The tasks to which somebody is admitted, with the number of workers."""
OUT_OF_FEW: PreparedQuery[Question] = PreparedQuery(
    lambda task: free_questions(Slot("project"), task).filter(_out(Slot("workers")))
)
"""The free questions of a task that as many may not answer as its crew has workers."""
OUT_OF_MANY: PreparedQuery[Question] = PreparedQuery(_out_of_many)
"""The same of several tasks with large crews."""


def starve_questions(*, project_id: int, now: datetime | None = None) -> int:
    """Give up the questions that have been starved for longer than the project allows, and return their number."""
    starved = starved_questions(project_id)
    if not starved:
        return 0
    _, settings = current_settings(project_id)
    latest = (now or clock.now()) - timedelta(hours=settings.starved_hours)
    late: dict[int, list[NewEntry]] = defaultdict(list)
    for question in starved:
        if question.opened_at <= latest:
            entry = NewEntry(EntryKind.STARVE, {"question": question.number}, reason="nobody may answer it")
            late[question.image_id].append(entry)
    try:
        if late:
            _send_to_review(late, now)
    except StateMovedError:
        return 0  # One of them was answered just now; the next tick looks again.
    return sum(map(len, late.values()))


def _send_to_review(late: dict[int, list[NewEntry]], now: datetime | None) -> None:
    with transaction.atomic():
        locked = lock_progress(list(late))
        waiting = waiting_judgments(locked)
        append_entries(locked, {image: [*waiting[image], *late[image]] for image in late}, now=now)
