"""The free questions that a worker may be asked, in the order of asking, read by statements that are made once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from django.db.models.lookups import LessThan

from pipeline.asking.read_assignment import with_images
from pipeline.models import Question
from pipeline.project.open_questions import ListLength, holds, is_free_for, open_for
from pipeline.protocol.tasks.task import Task
from runtime.database import PreparedQuery, Slot, slot_for, slots

MOST_LOOKED_AT = 300
"""The free questions that are looked at to find some of different images."""


class FreeQuestions(NamedTuple):
    """The free questions of one task for one worker."""

    project_id: int
    task: Task
    worker_id: int
    for_people: bool
    """Whether only questions with pixels to show are wanted."""
    sweeps: bool = True
    """Whether sweeps are wanted: programs judge pairs only."""
    after_models: "AfterModels | None" = None
    """The programs that are asked first; None: nobody is."""

    def first(self, most: int) -> list[Question]:
        """Return and lock the first, without those that a concurrent lease is taking."""
        if self.task is Task.CAPTION_CHECK:
            return self._first_of_different_images(most)
        shape, since = self._statement()
        return FIRST.run(most, shape, project=self.project_id, worker=self.worker_id, **since)

    def _first_of_different_images(self, most: int) -> list[Question]:
        """Return and lock the first, at most one of an image."""
        first: dict[int, int] = {}
        for number, image in self.window(MOST_LOOKED_AT):
            first.setdefault(image, number)
        waiting, locked = list(first.values()), list[Question]()
        while waiting and len(locked) < most:
            part, waiting = waiting[: most - len(locked)], waiting[most - len(locked) :]
            locked += self.lock(part)
        return sorted(locked, key=lambda one: one.id)

    def window(self, most: int) -> list[tuple[int, int]]:
        """Return (id, image id) of the first."""
        shape, since = self._statement()
        return WINDOW.run(most, shape, project=self.project_id, worker=self.worker_id, **since)

    def _statement(self) -> tuple["_Shape", dict[str, Any]]:
        """Return the shape of the statement, and the values that leave out what models are asked first."""
        first = self.after_models
        shape = _Shape(self.task, self.for_people, self.sweeps, len(first.model_annotators) if first else 0)
        waits = {"model_annotator": list(first.model_annotators), "opened_at": first.since} if first else {}
        return shape, waits

    def lock(self, ids: Sequence[int]) -> list[Question]:
        """Return and lock those of these that are still free, without those that a concurrent lease is taking."""
        rows = CHOSEN.run(len(ids), id=list(ids)) if ids else []
        return [row for row in rows if is_free_for(row, self.worker_id)]


class AfterModels(NamedTuple):
    """The programs that are asked before people, and since when a question waits for them."""

    model_annotators: tuple[int, ...]
    since: datetime


class _Shape(NamedTuple):
    """All that changes the statement."""

    task: Task
    for_people: bool
    sweeps: bool
    model_annotators: int


def _open(shape: _Shape) -> QuerySet[Question]:
    free = open_for(Slot("project"), shape.task, Slot("worker"), for_people=shape.for_people)
    if not shape.sweeps:
        free = free.filter(LessThan(ListLength(F("subject")), 3))
    for model_annotator in slots("model_annotator", shape.model_annotators):
        waits = ~holds("barred", model_annotator) & ~holds("skipped", model_annotator)
        free = free.exclude(Q(opened_at__gt=slot_for(Question, "opened_at")) & waits)
    return free


def _locked(most: int, shape: _Shape) -> QuerySet[Question]:
    return with_images(_open(shape)).select_for_update(skip_locked=True, of=("self",))[:most]


def _chosen(count: int) -> QuerySet[Question]:
    # By key alone: with the conditions of a free question, PostgreSQL may look through all free ones for these few.
    rows = Question.objects.filter(id__in=slots("id", count)).order_by()
    return with_images(rows).select_for_update(skip_locked=True, of=("self",))


FIRST: PreparedQuery[Question] = PreparedQuery(_locked)
WINDOW: PreparedQuery[tuple[int, int]] = PreparedQuery(
    lambda most, shape: _open(shape).values_list("id", "image_id")[:most]
)
CHOSEN: PreparedQuery[Question] = PreparedQuery(_chosen)
