"""The answers of workers to a task, as the skill estimates and the detectors of bad work take them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from pipeline.models import Assignment, Judgment
from pipeline.protocol.tasks.answers import CHOICES
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.survey import CaptionVerdict, caption_verdict
from pipeline.protocol.tasks.task import Task
from pipeline.settings.table_3 import work_of
from workers.models import Worker
from workers.rules.signals.copied_boxes import BoxInImage

NEWEST = 50_000
"""The number of judgments of a task that are read, newest first: time and memory stay bounded, and workers change."""
BOX, NONE_MISSING = "a box", "none missing"
REQUIREMENT = {1: "a box can be drawn", 2: "a scene or place", 3: "no box can be drawn"}
PLACES = (
    *("id", "worker", "question", "known", "answer", "known__truth", "right", "seconds"),
    *("worker__kind", "assignment", "assignment__created_at", "created_at"),
)


class AnswerOfTask(NamedTuple):
    """One judgment."""

    id: int
    worker: int
    item: int
    """The question's id, or minus the id of a verification question."""
    word: str
    """The answer in words; for a drawn box only that it is a box, and for a part of a link "different"."""
    known: str | None
    """The right answer, in words, to a verification question."""
    right: bool | None
    """Whether a verification question was answered right."""
    seconds: float | None
    simulated: bool
    """Whether a simulated worker answered, for whom the service's clock stands still."""
    assignment: int
    began: datetime
    """The time when the assignment was given out."""
    ended: datetime
    work: float = 1.0
    """In questions of the task, as in `work_of`: a sweep takes longer than a pair."""


def answered(project_id: int, task: Task, *, programs: bool = True, newest: int = NEWEST) -> Iterator[AnswerOfTask]:
    """Yield the newest judgments of the task, latest first, without those of qualification tests.

    Voided judgments are included: they too show how the worker answers. Without `programs`, only people's answers.
    """
    shapes = ("question__shown", "known__shown") if task is Task.COREFERENCE_LINK else ()
    rows = _judgments(project_id, task, programs=programs).values_list(*PLACES, *shapes)
    for id, worker, question, known, answer, truth, right, seconds, kind, *more in rows[:newest].iterator():
        item, truth = (question, None) if known is None else (-known, word(truth))
        (assignment, began, ended), shown = more[:3], [view for view in more[3:] if view]
        yield AnswerOfTask(
            *(id, worker, item, word(in_chains(answer)), truth, right, seconds, kind == Worker.Kind.VIRTUAL),
            *(assignment, began, ended, float(work_of(task, shown)) or 1.0),
        )


def drawn(project_id: int, *, newest: int = NEWEST) -> Iterator[tuple[int, BoxInImage]]:
    """Yield the boxes among the newest drawing judgments of people, each with its item (see `AnswerOfTask`)."""
    rows = _judgments(project_id, Task.BOX_DRAWING, programs=False)
    of_image = {name: Coalesce(f"question__image{path}", f"known__image{path}") for name, path in IMAGE.items()}
    places = rows.values_list("id", "worker", "question", "known", "answer", *of_image.values())
    for id, worker, question, known, answer, image, width, height in places[:newest].iterator():
        if "box" in answer:
            item = question if known is None else -known
            yield item, BoxInImage(id, worker, image, tuple(answer["box"]), (width, height))


IMAGE = {"image": "", "width": "__width", "height": "__height"}


def answer_words(task: Task) -> list[str]:
    """Return the possible answers to a question of the task, in words. Not for box drawing."""
    if task is Task.CAPTION_CHECK:
        return [verdict.value for verdict in CaptionVerdict]
    return [word(truth) for truth in CHOICES[task]]


def word(answer: Any) -> str:
    """Put an answer, or the truth of a verification question, into words; of a caption check, its verdict.

    Of a sweep, the numbers of the mentions.
    """
    if isinstance(answer, dict) and "verdict" in answer:
        return caption_verdict(answer).value
    if isinstance(answer, dict) and "same" in answer:
        return f"the same: {', '.join(map(str, answer['same']))}" if answer["same"] else "none the same"
    if isinstance(answer, dict):
        return BOX if "box" in answer else NONE_MISSING
    if isinstance(answer, list):
        return BOX if answer else NONE_MISSING
    return REQUIREMENT.get(answer, str(answer))


def _judgments(project_id: int, task: Task, *, programs: bool) -> QuerySet[Judgment]:
    place = {"project": project_id, "task": task.value, "kind": Assignment.Kind.WORK}
    rows = Judgment.objects.filter(**{f"assignment__{name}": value for name, value in place.items()})
    return (rows if programs else rows.exclude(worker__kind=Worker.Kind.PROGRAM)).order_by("-id")
