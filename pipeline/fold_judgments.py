"""Fold answered questions: each judgment becomes an entry of its image's record, in the order in which they came."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db import transaction

from pipeline.append_entries import NewEntry, append_entries, lock_progress
from pipeline.errors import StateMovedError
from pipeline.models import Judgment, Question
from pipeline.queries import chosen_projects
from pipeline.rules.image_machine import EntryKind
from pipeline.rules.task import QuestionState, Task

IMAGES_AT_ONCE = 50


def fold_judgments(tasks: Collection[Task], *, project_id: int | None = None) -> int:
    """Fold every judgment that waits on a question of these tasks; returns how many. Safe to run twice and at once.

    A transaction holds the progress rows of at most IMAGES_AT_ONCE images; images that another runner
    holds are left to it.
    """
    return sum(_fold_project(tasks, project) for project in chosen_projects(project_id))


def _fold_project(tasks: Collection[Task], project_id: int) -> int:
    total = 0
    while True:
        try:
            done = _fold_some(tasks, project_id)
        except StateMovedError:
            continue  # An answer came in between: it is folded now.
        if not done:
            return total
        total += done


@transaction.atomic
def _fold_some(tasks: Collection[Task], project_id: int) -> int:
    answered = Question.objects.filter(
        project_id=project_id, state=QuestionState.ANSWERED.value, task__in=[task.value for task in tasks]
    )
    images = list(dict.fromkeys(answered.order_by("id").values_list("image_id", flat=True)[: 4 * IMAGES_AT_ONCE]))
    locked = lock_progress(images[:IMAGES_AT_ONCE], skip_locked=True)
    new = waiting_judgments([row.image_id for row in locked])
    append_entries(locked, new)
    return sum(map(len, new.values()))


def waiting_judgments(image_ids: Sequence[int]) -> dict[int, list[NewEntry]]:
    """What waits on these images, whose progress rows the caller holds, oldest first, whatever the task.

    An image's judgments are folded together: what one of them closes, another may just have answered.
    """
    new: dict[int, list[NewEntry]] = defaultdict(list)
    waiting = Judgment.objects.filter(
        question__image_id__in=image_ids, question__state=QuestionState.ANSWERED.value, entry=None
    )
    columns = ("id", "worker_id", "answer", "question__image_id", "question__number")
    for judgment, worker, answer, image, number in waiting.order_by("id").values_list(*columns):
        data = {"question": number, "worker": worker, "answer": answer}
        new[image].append(NewEntry(EntryKind.JUDGMENT, data, judgment_id=judgment))
    return new
