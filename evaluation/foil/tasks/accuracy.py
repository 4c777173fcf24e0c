"""Accuracy [paper Shekhar, Results]: task 1 over right captions and foils, tasks 2 and 3 over foils, in percent."""

from collections.abc import Sequence
from typing import NamedTuple


class Classes(NamedTuple):
    """Accuracy of task 1. `overall`: the mean of the two classes, which are equally many."""

    overall: float
    correct: float
    foil: float


def task_1(correct: Sequence[bool | None], foils: Sequence[bool | None]) -> Classes:
    """Return the accuracy of answers "it is a foil" about right captions and about foils. None is wrong."""
    right = percent([answer is False for answer in correct])
    wrong = percent([answer is True for answer in foils])
    return Classes((right + wrong) / 2, right, wrong)


def percent(hits: Sequence[bool]) -> float:
    """Return the share of hits in percent; 0 for none."""
    return 100 * sum(hits) / len(hits) if hits else 0.0
