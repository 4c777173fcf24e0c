"""Turn of a juror [beyond paper 3.3]: since when a program that judges contradicts people more often than it did."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

NEWEST = 240
"""The newest answers of a juror that count."""
WINDOW = 30
"""The newest answers of a juror that are compared with those before ..."""
APART, LEAST_APART = 4.0, 0.05
"""... and the standard errors, and the share of all, by which they contradict people more often if it has turned."""


def since_turn(against: Sequence[float]) -> int:
    """Return the place of the first answer that counts still: 0, or the first after the last turn.

    `against`: for each answer, oldest first, the chance, 0 to 1, that it contradicts what people say.
    """
    for end in range(len(against), 2 * WINDOW - 1, -WINDOW // 2):
        before, after = against[max(0, end - NEWEST) : end - WINDOW], against[end - WINDOW : end]
        share = fmean(before)
        likely = (sum(before) + 1) / (len(before) + 2)  # a program that was never wrong can be, by chance
        error = sqrt(likely * (1 - likely) * (1 / len(before) + 1 / len(after)))
        if fmean(after) > share + max(APART * error, LEAST_APART):
            return end - WINDOW
    return 0
