"""Heard about a chain [beyond paper 3.2]: the answers to its box tasks as the belief policy keeps them."""

from typing import Any, NamedTuple

from pipeline.protocol.state.marks import Later
from pipeline.protocol.tasks.task import Task


class HeardAnswer(NamedTuple):
    """One answer to a box task, as the belief policy reads it."""

    entry: int
    worker: int | None
    """The program, if it proposed a box; None for the word of an expert, or if it is not known any more."""
    task: Task
    answer: Any
    """As the worker gave it; of a drawing the number of the box, or NOTHING_DRAWN. None: it was voided."""
    boxes: list[int]
    """The boxes that were shown; of box quality the one that was judged."""
    shift: Later[float] = 0.0
    """The logit of the worker's error above the crowd's, at the time of the answer."""
    trust: Later[float | None] = None
    """Of a box that a program proposed: the chance that it is good if one is missing, when it was taken."""
    juror: Later[bool] = False
    """A program gave the answer as evidence."""
    again: Later[int | None] = None
    """Of a drawing: the number of the box that was drawn, or should be drawn, once more."""

    @property
    def told_of(self) -> int | None:
        """The box that was drawn once more, or not missed where it was hidden; None: a new box was drawn.

        Who does not see a box may also draw once more another one, which is shown.
        """
        if self.again is None:
            return None
        if self.answer == NOTHING_DRAWN:
            return self.again
        return self.answer if self.answer in (self.again, *self.boxes) else None

    @property
    def is_second(self) -> bool:
        """Whether no new box was drawn where one could be drawn once more."""
        return self.told_of is not None


NOTHING_DRAWN = -1
"""The answer of a worker who found none missing."""
EXPERT_SHIFT = -6.0
"""An expert who sends a chain on has seen its boxes, and errs far less than any worker."""
EXPERT_TRUST = 0.99
"""The chance that a box of an expert is good if one is missing."""
