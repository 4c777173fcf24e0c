"""Program trust [beyond paper 3.2.2]: how likely a program's box is good, by what became of its boxes so far.

Only boxes of chains that ended with boxes count: a box for a chain that has none says nothing about the program's boxes
where one is missing. A program that nobody knows is tried: half of its boxes are expected to be good. One whose boxes
turn out bad falls below what the look ahead takes, after a few trials, and is set aside.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pipeline.rules.boxing.box_prior import BoxPrior, ProgramRecord

BINS = 5
"""Equal parts of the scores from 0 to 1; a last bin holds the boxes without a score."""
UNKNOWN_GOOD, UNKNOWN_BAD = 1.0, 1.0
"""Imagined boxes of a program that nobody knows."""
PULL = 4.0
"""Imagined boxes in each bin of the score, as good as all boxes of the program."""


class ProgramBox(NamedTuple):
    """One box of a program, once its chain has ended."""

    program: str
    score: float | None
    """From 0 to 1; None: the program gives none."""
    good: bool


def trust_of(program: str, score: float | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a program's box is good if one is missing."""
    record = prior.programs.get(program)
    if record is None:
        return UNKNOWN_GOOD / (UNKNOWN_GOOD + UNKNOWN_BAD)
    good, bad = sum(record.good) + UNKNOWN_GOOD, sum(record.bad) + UNKNOWN_BAD
    place = _bin(score)
    here = record.good[place], record.bad[place]
    return (here[0] + PULL * good / (good + bad)) / (sum(here) + PULL)


def counted(boxes: Iterable[ProgramBox]) -> Mapping[str, ProgramRecord]:
    """Return the good and bad boxes of each program by score."""
    counts: dict[str, tuple[list[float], list[float]]] = {}
    for box in boxes:
        good, bad = counts.setdefault(box.program, ([0.0] * (BINS + 1), [0.0] * (BINS + 1)))
        (good if box.good else bad)[_bin(box.score)] += 1
    return {name: ProgramRecord(tuple(good), tuple(bad)) for name, (good, bad) in counts.items()}


def _bin(score: float | None) -> int:
    return BINS if score is None else min(max(int(score * BINS), 0), BINS - 1)
