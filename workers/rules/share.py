"""Shares [beyond paper 3.3]: Wilson's interval of a share, the logit of a share, and the share that has a logit."""

import math

SMALLEST = 1e-9
"""Shares keep this distance from 0 and 1, where logarithms are infinite."""
Z_95 = 1.959964
"""The standard score that leaves 2.5 % of a normal distribution on each side."""
Z_90 = 1.644854
"""The standard score that leaves 5 % on each side."""


def wilson_interval(right: float, answers: float, score: float = Z_95) -> tuple[float, float]:
    """Return the low and the high end of the interval of a share, 0 to 1 (Wilson 1927): of 95 %, or as `score` says.

    The counts need not be whole numbers. Without answers the interval is 0 to 1.
    """
    if answers <= 0:
        return 0.0, 1.0
    share, slack = right / answers, score**2 / answers
    centre = (share + slack / 2) / (1 + slack)
    reach = score * math.sqrt(max(0.0, share * (1 - share)) / answers + slack / (4 * answers)) / (1 + slack)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share; 0 and 1 are taken for the nearest share with a finite logit."""
    share = min(max(share, SMALLEST), 1 - SMALLEST)
    return math.log(share / (1 - share))


def sigmoid(value: float) -> float:
    """Return the share that has this logit, 0 to 1."""
    return 1 / (1 + math.exp(-value))
