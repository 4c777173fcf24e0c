"""Turn of a juror [beyond paper 3.3]: since when a program that judges contradicts people more often than it did.

Outside the lot, people are asked where a juror's answer leaves doubt, so it is contradicted more often there. Answers
are compared with earlier ones of their own kind: of the lot with those of the lot, others with others.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

NEWEST = 240
"""The newest answers of a juror that count."""
WINDOW = 60
"""The newest answers of a juror that are compared with those before ..."""
APART, LEAST_APART = 4.5, 0.05
"""... and the standard errors, and the share of all, by which they contradict people more often if it has turned."""


def counting(against: Sequence[float], in_lot: Sequence[bool]) -> list[int]:
    """Return the places of the answers that count: the newest of the lot, none from before the juror turned.

    `against`: for each answer, oldest first, the chance, 0 to 1, that it contradicts what people say. `in_lot`: whether
    people answered whatever it said.
    """
    begin = 0
    for kind in (True, False):
        places = [place for place, one in enumerate(in_lot) if one is kind]
        if first := since_turn([against[place] for place in places]):
            begin = max(begin, places[first])
    return [place for place in range(begin, len(against)) if in_lot[place]][-NEWEST:]


def since_turn(against: Sequence[float]) -> int:
    """Return the place of the first answer since the last turn, 0 if there was none. `against`: of one kind."""
    for end in range(len(against), 2 * WINDOW - 1, -WINDOW // 4):
        before, after = against[max(0, end - WINDOW - NEWEST) : end - WINDOW], against[end - WINDOW : end]
        spread = _variance([*before, 1.0])  # a program that was never wrong can be, by chance
        error = sqrt(spread * (1 / len(before) + 1 / len(after)))
        if fmean(after) > fmean(before) + max(APART * error, LEAST_APART):
            return end - WINDOW
    return 0


def _variance(values: Sequence[float]) -> float:
    """Return the variance in plain numbers: `statistics.pvariance` adds up fractions, which takes ten times as long."""
    mean = fmean(values)
    return fmean([(one - mean) ** 2 for one in values])
