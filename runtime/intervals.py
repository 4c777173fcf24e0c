"""Intervals of shares and sums: Wilson's, the exact one of Clopper and Pearson, and that of a normal distribution.

A level is the chance that an interval holds the true value: 95 % for workers, 90 % for programs and forecasts.
"""

import math
from collections.abc import Iterable
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

OF_WORKERS, OF_PROGRAMS = 0.95, 0.90
"""The levels."""
HALVINGS = 40
"""Steps to the end of an exact interval: 2^-40 is left of it."""


class IntervalEstimate(NamedTuple):
    """A figure and the ends of its interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Half of the interval, as a share of the value."""
        return (self.high - self.low) / 2 / self.value if self.value else 0.0

    def over(self, others: Iterable["IntervalEstimate"]) -> "IntervalEstimate":
        """Return the figure with an interval from the lowest end of all to the highest."""
        every = [self, *others]
        return IntervalEstimate(self.value, min(other.low for other in every), max(other.high for other in every))

    def holds(self, figure: float) -> bool:
        """Return whether the figure is in the interval."""
        return self.low <= figure <= self.high


@lru_cache(maxsize=16)
def z(level: float) -> float:
    """Return the standard deviations on either side of the mean of a normal distribution that hold this level of it."""
    return NormalDist().inv_cdf((1 + level) / 2)


def normal(value: float, deviation: float, level: float) -> IntervalEstimate:
    """Return the estimate of a figure with this standard deviation."""
    reach = z(level) * deviation
    return IntervalEstimate(value, value - reach, value + reach)


def wilson(right: float, answers: float, level: float = OF_WORKERS) -> IntervalEstimate:
    """Return the share `right` of `answers`, 0 to 1, with the interval of Wilson (1927).

    The counts need not be whole numbers. Without answers the share is 0, and the interval 0 to 1.
    """
    if answers <= 0:
        return IntervalEstimate(0.0, 0.0, 1.0)
    score, share = z(level), right / answers
    slack = score**2 / answers
    centre = (share + slack / 2) / (1 + slack)
    reach = score * math.sqrt(max(0.0, share * (1 - share)) / answers + slack / (4 * answers)) / (1 + slack)
    low = max(0.0, centre - reach) if right > 0 else 0.0
    high = min(1.0, centre + reach) if right < answers else 1.0
    return IntervalEstimate(share, low, high)


def clopper_pearson(right: int, answers: int, level: float = OF_WORKERS) -> IntervalEstimate:
    """Return the share `right` of `answers`, 0 to 1, with the exact interval (Biometrika 26, 1934, 404-413).

    Without answers the share is 0, and the interval 0 to 1.
    """
    tail = (1 - level) / 2
    low = 1 - _upper_end(answers - right, answers, tail)
    return IntervalEstimate(right / answers if answers else 0.0, low, _upper_end(right, answers, tail))


@lru_cache(maxsize=2**15)
def chance_of_at_most(right: int, answers: int, share: float) -> float:
    """Return the probability of `right` or fewer right answers, if each is right with probability `share`."""
    if right >= answers or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    if right > share * answers:
        # Sum the other tail, where the terms get smaller.
        return 1 - chance_of_at_most(answers - right - 1, answers, 1 - share)
    ways = math.lgamma(answers + 1) - math.lgamma(right + 1) - math.lgamma(answers - right + 1)
    term = math.exp(ways + right * math.log(share) + (answers - right) * math.log1p(-share))
    total = 0.0
    for count in range(right, -1, -1):
        total += term
        term *= count / (answers - count + 1) * (1 - share) / share
    return total


@lru_cache(maxsize=10_000)
def _upper_end(right: int, answers: int, tail: float) -> float:
    """Return the share for which `right` or fewer right answers have a chance of `tail`, by bisection."""
    if right == answers:
        return 1.0
    low, high = right / answers, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance_of_at_most(right, answers, middle) > tail else (low, middle)
    return high
