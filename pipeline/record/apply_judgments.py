"""Fold judgments [paper 3.1, 3.2]: enter answers in the record of their images, and let them act, in order."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import accumulate
from math import inf
from typing import NamedTuple

from django.db.models import Count, OuterRef, Subquery

from annotation.models import Mention
from annotation.rules.transitivity import PLANNED_WHOLE
from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Judgment, Question
from pipeline.project.queries import chosen_projects
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.append_entries import Locked, NewEntry, append_entries, lock_progress
from runtime.database import PreparedQuery, Slot, atomic_again
from runtime.marked_points import reach
from workers.models import Worker

LINKS = (Task.COREFERENCE_LINK,)
AFTER_LINKING = tuple(task for task in Task if task is not Task.COREFERENCE_LINK)
IMAGES_AT_ONCE = 50
LOOK_AT_ONCE = 4 * IMAGES_AT_ONCE
"""Answered questions that are looked at to find the images of a round."""
PAIRS_AT_ONCE = 20_000
"""About the squares of the images' numbers of phrases together: fifty images of Flickr30k, or five of sixty phrases."""

ANSWERED: PreparedQuery[int] = PreparedQuery(
    lambda *tasks: (
        Question.objects.filter(
            project_id=Slot("project"), state=QuestionState.ANSWERED.value, task__in=[task.value for task in tasks]
        )
        .order_by("id")
        .values_list("image_id", flat=True)[:LOOK_AT_ONCE]
    )
)
"""The images of the first answered questions of these tasks."""


class AppliedJudgments(NamedTuple):
    judgments: int
    settled: bool
    """One of the images is now due for merging."""
    more: bool
    """Judgments may still wait, after as many rounds as were allowed."""


class _Part(NamedTuple):
    """The outcome of one transaction."""

    judgments: int = 0
    settled: bool = False
    more: bool = False
    """Judgments may still wait."""
    passed_over: bool = False
    """Another runner held some of the images."""


def apply_judgments(
    tasks: Collection[Task] = tuple(Task),
    *,
    project_id: int | None = None,
    now: datetime | None = None,
    rounds: int | None = None,
) -> AppliedJudgments:
    """Fold every judgment that waits on a question of these tasks. Safe to run twice, and in two runners at once.

    Each transaction holds the progress rows of at most IMAGES_AT_ONCE images. At first it passes over images that
    another runner holds; then it waits for them, since that runner may have begun before the last answer came.
    `rounds`: the most transactions for a project; None: until nothing waits.
    """
    total, settled, more = 0, False, False
    for project in chosen_projects(project_id):
        part, left = _Part(more=True), inf if rounds is None else rounds
        while part.more and left > 0:
            left -= 1
            try:
                part = _apply_some(tasks, project, now, wait=part.passed_over)
            except StateMovedError:
                continue  # An answer came in between; the next round folds it.
            reach("fold: committed")
            total, settled = total + part.judgments, settled or part.settled
        more = more or part.more
    return AppliedJudgments(total, settled, more)


@atomic_again
def _apply_some(tasks: Collection[Task], project_id: int, now: datetime | None, *, wait: bool) -> _Part:
    found = ANSWERED.run(*tasks, project=project_id)
    images = list(dict.fromkeys(found))[:IMAGES_AT_ONCE]
    if not images:
        return _Part()
    images = light_enough(images)
    locked = lock_progress(images, skip_locked=not wait)
    new = waiting_judgments(locked)
    settled = append_entries(locked, new, now=now)
    done, passed_over = sum(map(len, new.values())), len(locked) < len(images)
    more = len(found) == LOOK_AT_ONCE or len(set(found)) > len(images)
    return _Part(done, settled, passed_over or (more and done > 0), passed_over)


def light_enough(images: list[int]) -> list[int]:
    """Return the first of these images, as many as are planned within seconds: writers wait meanwhile."""
    if len(images) * PLANNED_WHOLE**2 <= PAIRS_AT_ONCE:
        return images
    counted = Mention.objects.filter(image_id__in=images).order_by().values_list("image_id").annotate(Count("id"))
    phrases = dict(counted)
    pairs = accumulate(phrases.get(image, 0) ** 2 for image in images)
    return images[: max(1, sum(so_far <= PAIRS_AT_ONCE for so_far in pairs))]


def waiting_judgments(locked: Sequence[Locked]) -> dict[int, list[NewEntry]]:
    """Return the judgments that wait on images of one project, by image id, oldest first, of every task.

    The caller holds the progress rows. An image's judgments are folded together, because one of them may close a
    question that another has just answered.
    """
    new: dict[int, list[NewEntry]] = defaultdict(list)
    if not locked:
        return new
    # Two statements: with a join, PostgreSQL may begin with all judgments, if its statistics are old. The project is
    # named for the index of answered questions: that of images holds every question, and what vacuum has yet to clear.
    answered = Question.objects.filter(
        project_id=locked[0].project_id,
        image_id__in=[row.image_id for row in locked],
        state=QuestionState.ANSWERED.value,
    ).order_by()
    columns = answered.values_list("id", "image_id", "number", "task")
    asked = {row: (image, number, Task(task)) for row, image, number, task in columns}
    # And a subquery: with a join, it may begin with all assignments, if there were few when statistics were taken.
    acceptance = Assignment.objects.filter(id=OuterRef("assignment_id")).values("acceptance")
    waiting = Judgment.objects.filter(question_id__in=list(asked), entry=None).alias(acceptance=Subquery(acceptance))
    waiting = waiting.exclude(acceptance__in=[Assignment.Acceptance.REFUSED, Assignment.Acceptance.WAITING])
    values = waiting.order_by("id").values_list("id", "worker_id", "worker__kind", "answer", "question_id")
    for judgment, worker, kind, answer, question in values:
        image, number, task = asked[question]
        data = {"question": number, "worker": worker, "answer": answer}
        by_model = kind == Worker.Kind.PROGRAM
        new[image].append(NewEntry(EntryKind.JUDGMENT, data, judgment, task, by_model=by_model))
    return new
