"""Estimate a total or a share of a whole project from a sample of its images, with a 90 % interval.

Four things make the outcome uncertain: which images were drawn, the chance in the real run, the chance in the
predicted runs, and what the priors say wrongly. The last one was measured by `python -m studies predict_study`.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance
from typing import NamedTuple

Runs = Sequence[Sequence[float]]
"""[images][repetitions]: one figure of each image in each predicted run."""
CONFIDENCE = 0.90
MODEL_SD, MODEL_SD_SHARE = 0.055, 0.013
"""Errors of drawn truths, as standard deviations: of totals as a share of them, and of the share of exact chains."""
KNOWN = 0.3
"""The part of these errors that is left where every truth is known: the crowd may still be another one."""


class Estimate(NamedTuple):
    """A figure and the ends of its 90 % interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Return half of the interval, as a share of the value."""
        return (self.high - self.low) / 2 / self.value if self.value else 0.0

    def holds(self, figure: float) -> bool:
        return self.low <= figure <= self.high


class Frame(NamedTuple):
    """The sample among all images. `sizes`: the phrases of each sampled image; `all_sizes`: of all images together."""

    sizes: Sequence[float]
    all_sizes: float
    images: int
    known: float = 0.0
    """The share of sampled images whose truth is known, 0 to 1."""

    @property
    def model(self) -> float:
        """Return the part of the error of drawn truths that is left, 0 to 1."""
        return KNOWN + (1 - KNOWN) * (1 - self.known)


def total(runs: Runs, frame: Frame, extra: Sequence[float] = (0.0,), scale: float = 1.0) -> Estimate:
    """Estimate a sum over all images, by the ratio to their phrases.

    `extra`: what comes on top for the whole project, in each repetition. `scale`: a factor for what one image takes,
    from images that are finished.
    """
    means = [scale * fmean(row) for row in runs]
    ratio = sum(means) / sum(frame.sizes) if sum(frame.sizes) else 0.0
    value = ratio * frame.all_sizes + fmean(extra)
    residuals = [mean - ratio * size for mean, size in zip(means, frame.sizes, strict=True)]
    within = scale**2 * fmean(_spread(row) for row in runs)
    count, many = len(runs), frame.images
    sampling = many**2 * max(0.0, 1 - count / many) * _spread(residuals) / count if many else 0.0
    chance = many * within * (1 + many / (count * len(runs[0])))
    model = (MODEL_SD * frame.model * value) ** 2
    return _interval(value, sampling + chance + model + _spread(extra), count)


def share(parts: Runs, wholes: Runs, frame: Frame) -> Estimate:
    """Estimate a share over all images, such as exact chains of all chains."""
    part, whole = sum(map(fmean, parts)), sum(map(fmean, wholes))
    if not whole:
        return Estimate(0.0, 0.0, 1.0)
    value, count, many = part / whole, len(parts), max(frame.images, 1)
    mean_size = whole / count
    rows = [[p - value * w for p, w in zip(*both, strict=True)] for both in zip(parts, wholes, strict=True)]
    between, within = _spread([fmean(row) for row in rows]), fmean(_spread(row) for row in rows)
    sampling = max(0.0, 1 - count / many) * between / count
    chance = within / many + within / (count * len(parts[0]))
    deviation = (sampling + chance) / mean_size**2 + (MODEL_SD_SHARE * frame.model) ** 2
    found = _interval(value, deviation, count)
    return Estimate(value, found.low, min(found.high, 1.0))


def _spread(values: Sequence[float]) -> float:
    return variance(values) if len(values) > 1 else 0.0


def _interval(value: float, deviation: float, count: int) -> Estimate:
    """Return the interval; the quantile is about Student's, because few images tell little about their spread."""
    normal = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    quantile = normal * (1 + (normal**2 + 1) / (4 * max(count - 1, 1)))
    half = quantile * math.sqrt(deviation)
    return Estimate(value, max(value - half, 0.0), value + half)
