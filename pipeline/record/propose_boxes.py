"""Propose boxes: enter the boxes that a program predicts for an image in the image's record."""

from collections.abc import Sequence

from django.db import transaction

from pipeline.errors import StateMovedError
from pipeline.models import Question
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.fold_judgments import waiting_judgments
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.tasks.task import QuestionState, Task

TRIES = 5
"""An answer may come between reading and writing. Each try folds the answers that have come."""


def propose_boxes(*, image_id: int, worker_id: int, boxes: Sequence[Sequence[int]], actor: str = "") -> None:
    """Put a program's boxes, rows of [mention, x0, y0, x1, y1], in place of those of it that nobody has judged.

    They are tried in this order. Whether they are used is a setting of the project.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                locked = lock_progress([image_id])
                waiting = waiting_judgments(locked)[image_id]
                data = {"worker": worker_id, "boxes": [list(row) for row in boxes], "lent": _lent(image_id)}
                append_entries(locked, {image_id: [*waiting, NewEntry(EntryKind.PROPOSE, data, actor=actor)]})
                return
        except StateMovedError:
            if not tries_left:
                raise


def _lent(image_id: int) -> list[int]:
    """Return the numbers of the image's drawing questions that are answered or on loan.

    Locks its drawing questions, so that none is lent until the fold has closed those that no worker has.
    """
    drawings = Question.objects.filter(image=image_id, task=Task.BOX_DRAWING.value)
    open_ones = drawings.exclude(state=QuestionState.CLOSED.value).select_for_update().order_by("id")
    rows = open_ones.values_list("number", "state", "assignment")
    return [number for number, state, lease in rows if lease is not None or state == QuestionState.ANSWERED.value]
