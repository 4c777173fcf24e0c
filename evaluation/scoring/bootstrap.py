"""Bootstrap intervals [beyond paper 4.1.2]: images are drawn again, because the phrases of an image go together."""

from collections.abc import Iterator

import numpy as np

DRAWS = 1000
LEVEL = 0.95
_AT_ONCE = 50


def resampled_shares(hits: np.ndarray, sizes: np.ndarray, rng: np.random.Generator, draws: int = DRAWS) -> np.ndarray:
    """Return the percentages of hits in resamples of the images, of shape (draws, columns); 0 without queries.

    `hits`, `sizes`: hits and queries of each image, of shape (images, columns). Equal seeds draw the same images, so
    the differences of two models are paired.
    """
    found = []
    for weights in _resamples(len(sizes), rng, draws):
        totals = weights @ sizes
        found.append(np.divide(100 * (weights @ hits), totals, out=np.zeros_like(totals), where=totals > 0))
    return np.concatenate(found)


def resampled_sums(counts: np.ndarray, rng: np.random.Generator, draws: int = DRAWS) -> np.ndarray:
    """Return sums over resamples of the images, of shape (draws, ...). `counts`: of shape (images, ...)."""
    images, *shape = counts.shape
    flat = counts.reshape(images, -1)
    found = [weights @ flat for weights in _resamples(images, rng, draws)]
    return np.concatenate(found).reshape(draws, *shape)


def interval(values: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Return the low and high ends of the middle part of the draws, by column."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def two_sided(differences: np.ndarray) -> np.ndarray:
    """Return by column twice the smaller share of draws on one side of 0, at most 1 and never 0."""
    draws = len(differences)
    below, above = (differences <= 0).sum(axis=0), (differences >= 0).sum(axis=0)
    p: np.ndarray = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (draws + 1))
    return p


def _resamples(images: int, rng: np.random.Generator, draws: int) -> Iterator[np.ndarray]:
    """Yield how often each image is drawn, some resamples at a time, of shape (resamples, images)."""
    for begin in range(0, draws, _AT_ONCE):
        count = min(_AT_ONCE, draws - begin)
        yield rng.multinomial(images, np.full(images, 1 / images), size=count).astype(float)
