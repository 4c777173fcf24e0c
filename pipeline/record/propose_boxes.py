"""Propose boxes: enter the boxes and the chains that a program predicts for an image in the image's record."""

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


def propose_boxes(
    *,
    image_id: int,
    worker_id: int,
    boxes: Sequence[Sequence[int]],
    chains: Sequence[Sequence[int]] | None = None,
    actor: str = "",
) -> None:
    """Put a program's boxes in place of those of it that nobody has judged.

    `boxes`: rows of [mention, x0, y0, x1, y1], with the program's score in percent behind if it gives one. They are
    tried in this order. `chains`: lists of mentions that the program holds to be one thing, in place of those it gave
    before; None: those stay. Whether boxes and chains are used is a setting of the project.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                locked = lock_progress([image_id])
                waiting = waiting_judgments(locked)[image_id]
                data = {"worker": worker_id, "boxes": [list(row) for row in boxes], "lent": _lent(image_id)}
                data |= {} if chains is None else {"chains": [list(chain) for chain in chains]}
                append_entries(locked, {image_id: [*waiting, NewEntry(EntryKind.PROPOSE, data, actor=actor)]})
                return
        except StateMovedError:
            if not tries_left:
                raise


def _lent(image_id: int) -> list[int]:
    """Return the numbers of the image's drawing and link questions that are answered or on loan.

    Locks these questions, so that none is lent until the fold has closed those that no worker has.
    """
    asked = Question.objects.filter(image=image_id, task__in=[Task.BOX_DRAWING.value, Task.COREFERENCE_LINK.value])
    open_ones = asked.exclude(state=QuestionState.CLOSED.value).select_for_update().order_by("id")
    rows = open_ones.values_list("number", "state", "assignment")
    return [number for number, state, lease in rows if lease is not None or state == QuestionState.ANSWERED.value]
