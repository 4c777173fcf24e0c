"""The free questions that a worker may be asked, in the order of asking, read by statements that are made once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from pipeline.asking.read_assignment import with_images
from pipeline.models import Question
from pipeline.project.open_questions import holds, is_free_for, open_for
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import Task
from runtime.prepared_query import PreparedQuery, Slot, slot_for, slots

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
        model_annotators, since = self._waits()
        rows = FIRST.run(
            self.task, self.for_people, most, model_annotators, project=self.project_id, worker=self.worker_id, **since
        )
        return [row for row in rows if self._has_shape(row)]

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
        model_annotators, since = self._waits()
        return WINDOW.run(
            self.task, self.for_people, most, model_annotators, project=self.project_id, worker=self.worker_id, **since
        )

    def _waits(self) -> tuple[int, dict[str, Any]]:
        """Return the number of models that come first, and the values of the statement that leaves theirs out."""
        first = self.after_models
        return (
            (len(first.model_annotators), {"model_annotator": list(first.model_annotators), "opened_at": first.since})
            if first
            else (0, {})
        )

    def lock(self, ids: Sequence[int]) -> list[Question]:
        """Return and lock those of these that are still free, without those that a concurrent lease is taking."""
        rows = CHOSEN.run(len(ids), id=list(ids)) if ids else []
        return [row for row in rows if is_free_for(row, self.worker_id) and self._has_shape(row)]

    def _has_shape(self, question: Question) -> bool:
        return self.sweeps or not candidates_in(self.task, question.shown)


class AfterModels(NamedTuple):
    """The programs that are asked before people, and since when a question waits for them."""

    model_annotators: tuple[int, ...]
    since: datetime


def _open(task: Task, model_annotators: int, *, for_people: bool) -> QuerySet[Question]:
    free = open_for(Slot("project"), task, Slot("worker"), for_people=for_people)
    for model_annotator in slots("model_annotator", model_annotators):
        waits = ~holds("barred", model_annotator) & ~holds("skipped", model_annotator)
        free = free.exclude(Q(opened_at__gt=slot_for(Question, "opened_at")) & waits)
    return free


def _locked(task: Task, most: int, model_annotators: int, *, for_people: bool) -> QuerySet[Question]:
    rows = with_images(_open(task, model_annotators, for_people=for_people))
    return rows.select_for_update(skip_locked=True, of=("self",))[:most]


def _chosen(count: int) -> QuerySet[Question]:
    # By key alone: with the conditions of a free question, PostgreSQL may look through all free ones for these few.
    rows = Question.objects.filter(id__in=slots("id", count)).order_by()
    return with_images(rows).select_for_update(skip_locked=True, of=("self",))


FIRST: PreparedQuery[Question] = PreparedQuery(
    lambda task, for_people, most, model_annotators: _locked(task, most, model_annotators, for_people=for_people)
)
WINDOW: PreparedQuery[tuple[int, int]] = PreparedQuery(
    lambda task, for_people, most, model_annotators: _open(task, model_annotators, for_people=for_people).values_list(
        "id", "image_id"
    )[:most]
)
CHOSEN: PreparedQuery[Question] = PreparedQuery(_chosen)
