"""Bootstrap intervals [beyond paper 4.1.2]: images are drawn again, because the phrases of an image go together."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evaluation.report import Cell, Report

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


SURE = 0.05
COLUMNS = ("figure", "ours", "the other's", "difference", "low", "high", "p")


def add_differences(report: Report, names: Sequence[str], theirs: Mapping[str, float], differences: np.ndarray) -> None:
    """Add the other model's figures and the differences, ours less theirs, in points.

    `names`: the figures that were compared. `differences`: of resamples, of shape (draws, names).
    """
    low, high = interval(differences)
    p = two_sided(differences)
    floor = 2 / (len(differences) + 1)
    rows: list[list[Cell]] = []
    for place, name in enumerate(names):
        difference = report.figures[name] - theirs[name]
        own = {"": difference, ".low": float(low[place]), ".high": float(high[place])}
        report.put({f"against.{name}": theirs[name]})
        report.put({**own, ".p": float(p[place])}, f"difference.{name}")
        told = f"< {floor:.2g}" if p[place] <= floor else f"{p[place]:.3f}"
        rows.append([name, report.figures[name], theirs[name], *own.values(), told])
    report.table("against", "Beside the other model (points of %)", COLUMNS, rows)
    report.notes.append(
        f"The difference is ours less theirs; p is twice the smaller share of {len(differences):,} resamples beyond 0, "
        f"which cannot tell values below {floor:.2g} apart: there it says less than that."
    )
    report.notes.append(
        f"{len(names)} figures were compared: by chance alone about {SURE * len(names):.0f} of them have a p below "
        f"{SURE}. For a claim about one of many, ask for a p below {SURE / len(names):.2g}."
    )
