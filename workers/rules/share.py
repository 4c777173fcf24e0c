"""Shares [beyond paper 3.3]: the logit of a share, and the share that has a logit."""

import math

SMALLEST = 1e-9
"""Shares keep this distance from 0 and 1, where logarithms are infinite."""


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share; 0 and 1 are taken for the nearest share with a finite logit."""
    share = min(max(share, SMALLEST), 1 - SMALLEST)
    return math.log(share / (1 - share))


def sigmoid(value: float) -> float:
    """Return the share that has this logit, 0 to 1."""
    return 1 / (1 + math.exp(-value))
