"""Compare two runs on the same images: the difference of sums or shares, with a 90 % interval paired by image.

An image that takes much work takes much in both runs, so the interval rests on the differences within images. It tells
what other images, and another run of the same crowd, would change.
"""

import math
from collections.abc import Sequence

from simulation.predict.estimate import Estimate, quantile

Parts = Sequence[tuple[float, float]]
"""Of each image: a part, and the whole that it is a share of."""


def change_of_sum(before: Sequence[float], after: Sequence[float]) -> Estimate | None:
    """Return the change of a sum over images as a share of the sum before; None if that was 0."""
    whole = sum(before)
    if not whole:
        return None
    ratio = sum(after) / whole
    return _around(ratio - 1, [(new - ratio * old) / whole for old, new in zip(before, after, strict=True)])


def change_of_share(before: Parts, after: Parts) -> Estimate | None:
    """Return the difference of two shares over images, from -1 to 1; None if one of them has no whole."""
    wholes = [sum(whole for _, whole in parts) for parts in (before, after)]
    if not all(wholes):
        return None
    shares = [sum(part for part, _ in parts) / whole for parts, whole in zip((before, after), wholes, strict=True)]
    old, new = (
        [(part - share * own) / whole for part, own in parts]
        for parts, share, whole in zip((before, after), shares, wholes, strict=True)
    )
    return _around(shares[1] - shares[0], [b - a for a, b in zip(old, new, strict=True)])


def _around(value: float, residuals: Sequence[float]) -> Estimate:
    """Return the interval from what each image adds to the difference; the residuals sum to 0."""
    count = len(residuals)
    spread = count / max(count - 1, 1) * sum(one**2 for one in residuals)
    half = quantile(count) * math.sqrt(spread)
    return Estimate(value, value - half, value + half)
