"""Signal [paper 3.3]: a hint of bad work with its evidence, how unlikely it is, and which signals are shown."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from workers.rules.score import SMALLEST

FALSE_SHARE = 0.01
"""The share of false alarms among the shown signals of one kind. With four kinds, at most 4 of 100 honest projects
show any signal."""


class SignalKind(StrEnum):
    """The kind of bad work that a signal hints at."""

    FAR_TOO_FAST = "far too fast"
    ONE_BUTTON = "always the same button"
    COPIED_BOXES = "boxes copied"
    TWO_ACCOUNTS = "two accounts as one"


@dataclass(frozen=True, slots=True)
class Signal:
    """A hint of bad work.

    `chance`: an upper bound, 0 to 1, for how often honest workers look like this; smaller is stronger. `judgments`: the
    ids of those that show it.
    """

    kind: SignalKind
    workers: tuple[int, ...]
    chance: float
    evidence: str
    judgments: tuple[int, ...]


def confirmed(signals: Iterable[Signal | None], *, tests: int, false_share: float = FALSE_SHARE) -> list[Signal]:
    """Return the signals to show, strongest first, by Benjamini and Hochberg (1995).

    `signals`: those of one kind in one project. `tests`: all workers (or pairs) that were looked at; one without a
    signal counts as chance 1. Among shown signals the expected share of false alarms is at most `false_share`; if all
    workers are honest, that is the chance of any signal. The bound is proved for independent signals; for pairs with a
    common worker it held in simulations. Raises ValueError for more signals than tests.
    """
    found = sorted((signal for signal in signals if signal), key=lambda signal: (signal.chance, signal.workers))
    if len(found) > tests:
        raise ValueError(f"{len(found)} signals from {tests} tests: count all workers or pairs that were looked at.")
    passing = [rank for rank, signal in enumerate(found, 1) if signal.chance <= false_share * rank / tests]
    return found[: max(passing, default=0)]


TINIEST = 1e-90
"""Smaller chances count as this one, so that a product of several stays above 0."""
MAD_TO_SD = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""
CHI_SQUARED_MEDIAN = 0.455
"""The median of chi-squared with one degree of freedom, which is the square of a standard normal variable."""


def at_least(successes: float, trials: float, share: float) -> float:
    """Return an upper bound for the chance of this many successes or more, if trials succeed with `share` on average.

    The bound is exp(-trials x divergence) (Chernoff 1952). It is exact if all trials succeed with equal chances, and
    above the binomial tail otherwise. It holds for unequal chances, and takes parts of trials, as overdispersed counts
    need.
    """
    if trials <= 0 or successes <= share * trials:
        return 1.0
    found, expected = min(1.0, successes / trials), min(max(share, SMALLEST), 1 - SMALLEST)
    divergence = found * math.log(found / expected)
    if found < 1:
        divergence += (1 - found) * math.log((1 - found) / (1 - expected))
    return math.exp(-trials * divergence)


def best_of(chances: Sequence[float]) -> float:
    """Return the smallest of several chances, multiplied by their number (Bonferroni)."""
    return min(1.0, len(chances) * min(chances))


def together(chances: Sequence[float]) -> float:
    """Combine independent chances into one by Fisher's product (1925), whose distribution has a closed form."""
    total = -sum(math.log(max(chance, TINIEST)) for chance in chances)
    return min(1.0, math.exp(-total) * sum(total**power / math.factorial(power) for power in range(len(chances))))


def spread(values: Iterable[float]) -> float:
    """Return a robust standard deviation, from the median absolute deviation: half of the values may be wrong."""
    values = list(values)
    middle = median(values)
    return MAD_TO_SD * median(abs(value - middle) for value in values)


def dispersion(squares: Sequence[float], *, least: int, otherwise: float) -> float:
    """Return how many times the variance of counts exceeds the binomial's, at least 1.

    `squares`: the squared standard score of each worker. Up to half of the workers may be bad. `otherwise`: the result
    if there are fewer than `least` workers.
    """
    return max(1.0, median(squares) / CHI_SQUARED_MEDIAN) if len(squares) >= least else otherwise
