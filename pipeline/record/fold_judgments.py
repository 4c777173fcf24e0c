"""Fold answered questions: each judgment becomes an entry of its image's record, in the order in which they came."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Judgment, Question
from pipeline.queries import chosen_projects
from pipeline.record.append_entries import Locked, NewEntry, append_entries, lock_progress
from pipeline.record.link_shifts import link_shifts
from pipeline.rules.image.image_machine import EntryKind
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import read_settings

IMAGES_AT_ONCE = 50
LOOK_AT_ONCE = 4 * IMAGES_AT_ONCE
"""Answered questions looked at to find so many images."""


class Folded(NamedTuple):
    judgments: int
    settled: bool
    """An image may be due for merging."""


def fold_judgments(tasks: Collection[Task], *, project_id: int | None = None, now: datetime | None = None) -> Folded:
    """Fold every judgment that waits on a question of these tasks. Safe to run twice and at once.

    A transaction holds the progress rows of at most IMAGES_AT_ONCE images. Images that another runner holds are
    passed over at first; then it is waited for, since it may have begun before the last answer came.
    """
    parts = [_fold_project(tasks, project, now) for project in chosen_projects(project_id)]
    return Folded(sum(part.judgments for part in parts), any(part.settled for part in parts))


def _fold_project(tasks: Collection[Task], project_id: int, now: datetime | None) -> Folded:
    total, settled, more, passed_over = 0, False, True, False
    while more:
        try:
            done, due, more, passed_over = _fold_some(tasks, project_id, now, wait=passed_over)
        except StateMovedError:
            continue  # An answer came in between: it is folded now.
        total, settled = total + done, settled or due
    return Folded(total, settled)


@transaction.atomic
def _fold_some(
    tasks: Collection[Task], project_id: int, now: datetime | None, *, wait: bool
) -> tuple[int, bool, bool, bool]:
    """(judgments folded, an image is due for merging, there may be more, some were in other hands)"""
    answered = Question.objects.filter(
        project_id=project_id, state=QuestionState.ANSWERED.value, task__in=[task.value for task in tasks]
    )
    found = list(answered.order_by("id").values_list("image_id", flat=True)[:LOOK_AT_ONCE])
    images = list(dict.fromkeys(found))[:IMAGES_AT_ONCE]
    if not images:
        return 0, False, False, False
    locked = lock_progress(images, skip_locked=not wait)
    new = waiting_judgments(locked)
    due = append_entries(locked, new, now=now)
    done, passed_over = sum(map(len, new.values())), len(locked) < len(images)
    more = len(found) == LOOK_AT_ONCE or len(set(found)) > IMAGES_AT_ONCE
    return done, due, passed_over or (more and done > 0), passed_over


def waiting_judgments(locked: Sequence[Locked]) -> dict[int, list[NewEntry]]:
    """What waits on these images of one project, whose progress rows the caller holds, oldest first, whatever the task.

    An image's judgments are folded together: what one of them closes, another may just have answered.
    """
    new: dict[int, list[NewEntry]] = defaultdict(list)
    if not locked:
        return new
    waiting = Judgment.objects.filter(
        question__image_id__in=[row.image_id for row in locked],
        question__state=QuestionState.ANSWERED.value,
        entry=None,
    ).exclude(assignment__verdict__in=[Assignment.Verdict.REFUSED, Assignment.Verdict.WAITING])
    columns = ("id", "worker_id", "answer", "question__image_id", "question__number", "question__task")
    rows = list(waiting.order_by("id").values_list(*columns))
    judged_links = {worker for _, worker, *_, task in rows if task == Task.COREFERENCE_LINK}
    shifts = link_shifts(locked[0].project_id, read_settings(locked[0].settings), judged_links)
    for judgment, worker, answer, image, number, task in rows:
        data = {"question": number, "worker": worker, "answer": answer}
        if task == Task.COREFERENCE_LINK and worker in shifts:
            data["shift"] = shifts[worker]
        new[image].append(NewEntry(EntryKind.JUDGMENT, data, judgment_id=judgment))
    return new
