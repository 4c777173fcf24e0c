"""Program trust [beyond paper 3.2.2]: how likely a program's box is good, by what workers said of its boxes so far.

Only boxes of chains that ended with boxes count: a box for a chain that has none says nothing about the program's boxes
where one is missing. A program that nobody knows is tried: half of its boxes are expected to be good. One whose boxes
turn out bad falls below what the look ahead takes, after a few trials, and is set aside.

What became of a box would say too little good of it: one wrong answer may drop a box of a program that is little
trusted. So its chance to be good is weighed by the answers about it alone, and by how good the program's boxes are,
which is found by going from one to the other until both agree.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from belief.boxes.box_answers import NODES, error
from belief.boxes.box_prior import BoxPrior, ProgramRecord
from belief.models.juror_record import NOBODY_KNOWS, JurorRecord

BINS = 5
"""Equal parts of the scores from 0 to 1; a last bin holds the boxes without a score."""
NO_BOXES = (0.0,) * (BINS + 1)
UNKNOWN_GOOD, UNKNOWN_BAD = 1.0, 1.0
"""Imagined boxes of a program that nobody knows."""
PULL = 4.0
"""Imagined boxes in each bin of the score, as good as all boxes of the program."""
ROUNDS = 30
DIGITS = 2


class Judged(NamedTuple):
    """One answer to box quality."""

    good: bool
    shift: float = 0.0
    """The logit of the worker's error, less that of the crowd."""
    juror: str | None = None
    """The number of the program that gave the answer; None: a person did."""
    akin: bool = False
    """That program, or one of its family, had proposed the box."""


class ProgramBox(NamedTuple):
    """One box of a program that was taken, and the answers about its quality."""

    program: str
    score: float | None
    """From 0 to 1; None: the program gives none."""
    judged: tuple[Judged, ...]


def trust_of(program: str, score: float | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a program's box is good if one is missing."""
    record = prior.programs.get(program)
    if record is None:
        return UNKNOWN_GOOD / (UNKNOWN_GOOD + UNKNOWN_BAD)
    good, bad = sum(record.good) + UNKNOWN_GOOD, sum(record.bad) + UNKNOWN_BAD
    place = _bin(score)
    here = record.good[place], record.bad[place]
    return (here[0] + PULL * good / (good + bad)) / (sum(here) + PULL)


def counted(
    boxes: Iterable[ProgramBox], wrong: float, jurors: Mapping[str, JurorRecord] = MappingProxyType({})
) -> Mapping[str, ProgramRecord]:
    """Return the boxes of each program that are likely good and likely bad, by score, in parts of boxes.

    Boxes that were not judged are passed over. `wrong`: the crowd's share of wrong answers to box quality. `jurors`:
    how often programs that judge boxes are right. People judge what jurors doubt, so their answers alone would make a
    program look worse than it is.
    """
    of_program: dict[str, list[ProgramBox]] = defaultdict(list)
    for box in boxes:
        if box.judged:
            of_program[box.program].append(box)
    return {name: _record(own, wrong, jurors) for name, own in of_program.items()}


def _record(boxes: Sequence[ProgramBox], wrong: float, jurors: Mapping[str, JurorRecord]) -> ProgramRecord:
    if_good, if_bad = np.array([_chances(box, wrong, jurors) for box in boxes]).T
    good = np.full(len(boxes), 0.5)
    for _ in range(ROUNDS):
        share = (good.sum() + UNKNOWN_GOOD) / (len(boxes) + UNKNOWN_GOOD + UNKNOWN_BAD)
        good = share * if_good / (share * if_good + (1 - share) * if_bad)
    sums = np.zeros((2, BINS + 1))
    for box, chance in zip(boxes, good, strict=True):
        sums[:, _bin(box.score)] += chance, 1 - chance
    likely_good, likely_bad = sums.round(DIGITS).tolist()
    return ProgramRecord(tuple(likely_good), tuple(likely_bad))


def _chances(box: ProgramBox, wrong: float, jurors: Mapping[str, JurorRecord]) -> tuple[float, float]:
    """Return the chances of the answers about one box if it is good, and if it is bad."""
    if_good, if_bad = np.ones(NODES), np.ones(NODES)
    for one in box.judged:
        if one.juror is None:
            passed = alarm = error(wrong, one.shift)
        else:
            mistakes = jurors.get(one.juror, NOBODY_KNOWS).of_box(box.program, akin=one.akin)
            passed, alarm = np.full(NODES, mistakes.miss), np.full(NODES, mistakes.false_alarm)
        said = (1 - alarm, passed) if one.good else (alarm, 1 - passed)
        if_good, if_bad = if_good * said[0], if_bad * said[1]
    return float(if_good.mean()), float(if_bad.mean())


def _bin(score: float | None) -> int:
    return BINS if score is None else min(max(int(score * BINS), 0), BINS - 1)
