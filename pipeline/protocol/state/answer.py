"""Answers about a chain [paper 3.2]: all answers to its box tasks, in the order of the record."""

from typing import Any, NamedTuple

from pipeline.protocol.tasks.task import Task

NOTHING_DRAWN = -1
"""The answer of a worker who was to draw a box and found none missing."""


class ChainAnswer(NamedTuple):
    """One answer to a box task, or one box that a program proposed and that was shown.

    The tallies of the paper's loop follow from a chain's answers (see `boxes/tallies.py`), and so does all else that a
    policy weighs.
    """

    entry: int
    worker: int | None
    """The person or program that answered; None: an expert's word, or nobody could answer."""
    task: Task
    value: Any
    """As the worker gave it; of a drawing the number of the box, or NOTHING_DRAWN. None: it was not given, or an expert
    has others asked instead."""
    boxes: list[int]
    """The boxes that were shown; of box quality the one that was judged."""
    skill: float = 0.0
    """The logit of the worker's error above the crowd's, at the time of the answer."""
    trust: float | None = None
    """Of a box that a program proposed: the chance that it is good if one is missing, when it was shown; None: it was
    not weighed."""
    by_model: bool = False
    """A program proposed the box, or judged as a model whose answers are evidence."""
    redraw_of: int | None = None
    """Of a drawing: the number of the box that was drawn, or should be drawn, once more."""
    withdrawn: bool = False
    """It was voided. Its worker is still not asked the same again."""

    @property
    def counts(self) -> bool:
        """Whether the answer was given and not withdrawn."""
        return self.value is not None and not self.withdrawn

    @property
    def is_pre_annotation(self) -> bool:
        """Whether a program predicted the box, and nobody was asked to draw it."""
        return self.by_model and self.task is Task.BOX_DRAWING

    @property
    def is_judged_by_model(self) -> bool:
        """Whether a program gave the answer, as evidence."""
        return self.by_model and self.task is not Task.BOX_DRAWING

    @property
    def redrawn_box(self) -> int | None:
        """The old box that a second drawing is about; None: a new box was drawn.

        That is the hidden box, even if the worker found none missing, or a shown box that was drawn again.
        """
        if self.redraw_of is None or not self.counts:
            return None
        if self.value == NOTHING_DRAWN:
            return self.redraw_of
        return self.value if self.value in (self.redraw_of, *self.boxes) else None

    @property
    def is_redrawing(self) -> bool:
        """Whether no new box was drawn where one could be drawn once more."""
        return self.redrawn_box is not None

    def packed(self) -> list[Any]:
        """Return the answer as JSON: entry, worker, what was said of which task, boxes, and the rest up to defaults.

        What was said of which task is one letter, and of a drawing a number; see LETTERS.
        """
        drew = self.task is Task.BOX_DRAWING and self.value is not None
        row = [self.entry, self.worker, self.value if drew else LETTERS[self.task, self.value], self.boxes, *self[5:]]
        for default in reversed(_DEFAULTS):
            if row[-1] != default:
                break
            del row[-1]
        return row

    @classmethod
    def unpacked(cls, row: list[Any]) -> "ChainAnswer":
        """Return the answer that `packed` wrote. Raises ValueError for any other row."""
        entry, worker, kind, boxes, *more = row
        if isinstance(kind, int):
            return cls(entry, worker, Task.BOX_DRAWING, kind, boxes, *more)
        if kind not in _OF_LETTER:
            raise ValueError(f"{kind!r} stands for no answer.")
        return cls(entry, worker, *_OF_LETTER[kind], boxes, *more)


LETTERS: dict[tuple[Task, Any], str] = {
    (Task.BOX_REQUIREMENT, 1): "b",
    (Task.BOX_REQUIREMENT, 2): "s",
    (Task.BOX_REQUIREMENT, 3): "n",
    (Task.BOX_QUALITY, "good"): "g",
    (Task.BOX_QUALITY, "bad"): "x",
    (Task.BOX_COVERAGE, "all there"): "a",
    (Task.BOX_COVERAGE, "more needed"): "m",
    # Answers that an expert has others give.
    (Task.CHAIN_VERIFICATION, None): "V",
    (Task.BOX_REQUIREMENT, None): "R",
    (Task.BOX_DRAWING, None): "D",
    (Task.BOX_QUALITY, None): "Q",
    (Task.BOX_COVERAGE, None): "C",
}
_OF_LETTER = {letter: kind for kind, letter in LETTERS.items()}
_DEFAULTS = [ChainAnswer._field_defaults[name] for name in ChainAnswer._fields[5:]]
