"""Chance [beyond paper 3.3]: how likely the counts of honest workers are, as bounds that are never too small."""

import math
from collections.abc import Iterable, Sequence
from statistics import median

from workers.rules.share import SMALLEST

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
