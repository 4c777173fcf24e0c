"""Chance [beyond the paper]: how likely counts are where nothing is wrong, as bounds that are never too small."""

import math
from collections.abc import Iterable, Sequence
from statistics import median

SMALLEST = 1e-9
TINIEST = 1e-90
"""Smaller chances are not told apart: a product of some must stay above 0."""
MAD_TO_SD = 1.4826
"""The standard deviation of a normal, in median absolute deviations."""
CHI_SQUARED_MEDIAN = 0.455
"""Of one degree of freedom: the median square of a standard normal."""


def at_least(successes: float, trials: float, share: float) -> float:
    """A bound for the probability of this many successes or more, in trials that succeed with `share` on average.

    Chernoff (1952): exp(-trials x divergence). It is exact where all trials succeed and all chances are alike, above
    the binomial tail elsewhere, holds for unequal ones, and takes parts of trials, as overdispersed counts need.
    """
    if trials <= 0 or successes <= share * trials:
        return 1.0
    found, expected = min(1.0, successes / trials), min(max(share, SMALLEST), 1 - SMALLEST)
    divergence = found * math.log(found / expected)
    if found < 1:
        divergence += (1 - found) * math.log((1 - found) / (1 - expected))
    return math.exp(-trials * divergence)


def best_of(chances: Sequence[float]) -> float:
    """The smallest of several chances, paid for by their number (Bonferroni)."""
    return min(1.0, len(chances) * min(chances))


def together(chances: Sequence[float]) -> float:
    """Independent chances as one: Fisher's product (1925), whose distribution has a closed form."""
    total = -sum(math.log(max(chance, TINIEST)) for chance in chances)
    return min(1.0, math.exp(-total) * sum(total**power / math.factorial(power) for power in range(len(chances))))


def spread(values: Iterable[float]) -> float:
    """A standard deviation that up to half of the values can't spoil: from the median absolute deviation."""
    values = list(values)
    middle = median(values)
    return MAD_TO_SD * median(abs(value - middle) for value in values)


def dispersion(squares: Sequence[float], *, least: int, otherwise: float) -> float:
    """How many times the variance of counts exceeds the binomial's, from workers' squared standard scores; at least 1.

    Up to half of the workers can be bad without spoiling it. `otherwise`: what is taken where fewer than `least`
    workers say too little about it.
    """
    return max(1.0, median(squares) / CHI_SQUARED_MEDIAN) if len(squares) >= least else otherwise


def logit(share: float) -> float:
    """Of a share, kept off 0 and 1."""
    share = min(max(share, SMALLEST), 1 - SMALLEST)
    return math.log(share / (1 - share))


def sigmoid(value: float) -> float:
    """The share with this logit."""
    return 1 / (1 + math.exp(-value))
