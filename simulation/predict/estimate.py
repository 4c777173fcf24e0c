"""Estimate a total or a share of a whole project from a sample of its images, with a 90 % interval.

Six things make the outcome uncertain: which images were drawn, the chance in the real run, the chance in the predicted
runs, which workers come, what the priors say wrongly, and how the images that are left differ from finished ones. The
last three were measured with simulated crowds.
"""

import math
from collections.abc import Sequence
from statistics import fmean, variance
from typing import NamedTuple

from runtime.intervals import OF_PROGRAMS, IntervalEstimate, z

Runs = Sequence[Sequence[float]]
"""[images][repetitions]: one figure of each image in each predicted run."""
MODEL_SD, MODEL_SD_SHARE = 0.07, 0.013
"""Errors of drawn truths, as standard deviations: of totals as a share of them, and of the share of exact chains."""
KNOWN = 0.3
"""The part of these errors that is left where every truth is known: the crowd may still be another one."""
CROWD_SD, BAD_SD = 0.011, 0.06
"""Differences between crowds of `CROWD` workers as shares of a total: of honest ones, and what bad ones add."""
CROWD_SD_SHARE, CROWD = 0.008, 20
LATER_SD = 0.03
"""The difference between images that are finished early and those that are left, as a share of their work."""
Parts = Sequence[tuple[float, float]]
"""Of each image: a part, and the whole that it is a share of."""


class SamplingFrame(NamedTuple):
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

    @property
    def ratio(self) -> float:
        """Return the phrases of all images for each phrase of the sample; 0 without any."""
        return self.all_sizes / sum(self.sizes) if sum(self.sizes) else 0.0


class Scale(NamedTuple):
    """A factor for what one image takes. `sd`: its standard deviation, the error of the priors that is left."""

    factor: float = 1.0
    sd: float = MODEL_SD


class Mean(NamedTuple):
    """A share with its variance, from a number of images."""

    value: float
    variance: float
    images: int


def crowd_sd(workers: int, bad: float) -> float:
    """Return the difference between two crowds of one kind, as a standard deviation and a share of a total."""
    return math.sqrt((CROWD_SD**2 + bad * (1 - bad) * BAD_SD**2) * CROWD / workers)


def crowd_sd_of_share(workers: int) -> float:
    """Return the same for the share of exact chains, 0 to 1."""
    return CROWD_SD_SHARE * math.sqrt(CROWD / workers)


def scale_of(actual: Sequence[float], runs: Runs, before: float) -> Scale:
    """Return what finished images took as a multiple of their forecast, drawn towards 1 as far as chance explains it.

    `before`: the standard deviation of this multiple before any image was finished.
    """
    means = [fmean(row) for row in runs]
    forecast = sum(means)
    if len(means) < 2 or not forecast:
        return Scale(1.0, before)
    ratio = sum(actual) / forecast
    noise = len(means) * variance([a - ratio * mean for a, mean in zip(actual, means, strict=True)]) / forecast**2
    if not before**2 + noise:
        return Scale(ratio, LATER_SD)
    weight = before**2 / (before**2 + noise)
    return Scale(1 + weight * (ratio - 1), math.hypot(math.sqrt(weight * noise), LATER_SD))


def total(
    runs: Runs, frame: SamplingFrame, extra: Sequence[float] = (0.0,), scale: Scale | None = None, crowd: float = 0.0
) -> IntervalEstimate:
    """Estimate a sum over all images, by the ratio to their phrases.

    `extra`: what comes on top for the whole project, with each of several crowds. `crowd`: the difference between two
    crowds, as in `crowd_sd`.
    """
    factor, model = scale or Scale(1.0, MODEL_SD * frame.model)
    means = [factor * fmean(row) for row in runs]
    ratio = sum(means) / sum(frame.sizes) if sum(frame.sizes) else 0.0
    images = ratio * frame.all_sizes
    residuals = [mean - ratio * size for mean, size in zip(means, frame.sizes, strict=True)]
    within = factor**2 * fmean(_spread(row) for row in runs) if runs else 0.0
    count, many = max(len(runs), 1), frame.images
    sampling = many**2 * max(0.0, 1 - count / many) * _spread(residuals) / count if many else 0.0
    chance = many * within * (1 + many / (count * len(runs[0]))) if runs else 0.0
    errors = (model**2 + crowd**2) * images**2
    crews = _spread(extra) * (1 + 1 / len(extra))
    return _interval(images + fmean(extra), sampling + chance + errors + crews, count)


def mean_share(parts: Runs, wholes: Runs, frame: SamplingFrame) -> Mean:
    """Estimate a share over all images, such as exact chains of all chains; without the error of the priors."""
    part, whole = sum(map(fmean, parts)), sum(map(fmean, wholes))
    if not whole:
        return Mean(0.0, 1.0, 0)
    value, count, many = part / whole, len(parts), max(frame.images, 1)
    mean_size = whole / count
    rows = [[p - value * w for p, w in zip(*both, strict=True)] for both in zip(parts, wholes, strict=True)]
    between, within = _spread([fmean(row) for row in rows]), fmean(_spread(row) for row in rows)
    sampling = max(0.0, 1 - count / many) * between / count
    chance = within / many + within / (count * len(parts[0]))
    return Mean(value, (sampling + chance) / mean_size**2, count)


def share(means: Sequence[tuple[Mean, SamplingFrame]], workers: int = CROWD) -> IntervalEstimate:
    """Estimate a share over images in several groups, by their phrases."""
    there = [(mean, frame) for mean, frame in means if mean.images and frame.all_sizes]
    sizes = sum(frame.all_sizes for _, frame in there)
    if not sizes:
        return IntervalEstimate(0.0, 0.0, 1.0)
    parts = [(frame.all_sizes / sizes, mean, frame) for mean, frame in there]
    value = sum(part * mean.value for part, mean, _ in parts)
    model = MODEL_SD_SHARE * sum(part * frame.model for part, _, frame in parts)
    deviation = sum(part**2 * mean.variance for part, mean, _ in parts)
    deviation += model**2 + crowd_sd_of_share(workers) ** 2
    found = _interval(value, deviation, sum(mean.images for mean, _ in there))
    return IntervalEstimate(value, found.low, min(found.high, 1.0))


def _spread(values: Sequence[float]) -> float:
    return variance(values) if len(values) > 1 else 0.0


def quantile(images: int) -> float:
    """Return the standard score of the interval. It is about Student's: few images tell little about their spread."""
    score = z(OF_PROGRAMS)
    return score * (1 + (score**2 + 1) / (4 * max(images - 1, 1)))


def _interval(value: float, deviation: float, count: int) -> IntervalEstimate:
    half = quantile(count) * math.sqrt(deviation)
    return IntervalEstimate(value, max(value - half, 0.0), value + half)


def change_of_sum(before: Sequence[float], after: Sequence[float]) -> IntervalEstimate | None:
    """Return the change of a sum over images as a share of the sum before; None if that was 0."""
    whole = sum(before)
    if not whole:
        return None
    ratio = sum(after) / whole
    return _around(ratio - 1, [(new - ratio * old) / whole for old, new in zip(before, after, strict=True)])


def change_of_share(before: Parts, after: Parts) -> IntervalEstimate | None:
    """Return the difference of two shares over images, from -1 to 1; None if one of them has no whole."""
    wholes = [sum(whole for _, whole in parts) for parts in (before, after)]
    if not all(wholes):
        return None
    shares = [sum(part for part, _ in parts) / whole for parts, whole in zip((before, after), wholes, strict=True)]
    old, new = (
        [(part - share * whole_of_image) / whole for part, whole_of_image in parts]
        for parts, share, whole in zip((before, after), shares, wholes, strict=True)
    )
    return _around(shares[1] - shares[0], [b - a for a, b in zip(old, new, strict=True)])


def _around(value: float, residuals: Sequence[float]) -> IntervalEstimate:
    """Return the interval from what each image adds to the difference; the residuals sum to 0."""
    count = len(residuals)
    spread = count / max(count - 1, 1) * sum(residual**2 for residual in residuals)
    half = quantile(count) * math.sqrt(spread)
    return IntervalEstimate(value, value - half, value + half)
