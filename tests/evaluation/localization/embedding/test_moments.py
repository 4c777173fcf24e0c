"""Moments of chunks equal those of the whole."""

from collections.abc import Iterator

import numpy as np
import pytest

from evaluation.localization.embedding.moments import Chunk, moments


def views(rows: int, p: int, q: int, shared: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    lot = np.random.default_rng(seed)
    hidden = lot.normal(size=(rows, shared))
    x = hidden @ lot.normal(size=(shared, p)) + 2 * lot.normal(size=(rows, p)) + 30
    y = hidden @ lot.normal(size=(shared, q)) + 2 * lot.normal(size=(rows, q)) - 7
    return x, y


def chunks(x: np.ndarray, y: np.ndarray, size: int) -> Iterator[Chunk]:
    return ((x[start : start + size], y[start : start + size]) for start in range(0, len(x), size))


def test_moments_do_not_depend_on_chunks_and_survive_large_means_in_single_precision() -> None:
    x, y = views(1000, 10, 6, 3, seed=4)
    x += 5000
    found = moments(chunks(x, y, 77), np.float32)
    whole = np.cov(np.hstack([x, y]).T, bias=True)
    assert found.rows == 1000
    assert np.tril(found.xx) == pytest.approx(np.tril(whole[:10, :10]), rel=1e-3, abs=1e-2)
    assert found.xy == pytest.approx(whole[:10, 10:], rel=1e-3, abs=1e-2)
    with pytest.raises(ValueError, match="3 rows in one view and 2 in the other"):
        moments([(x[:3], y[:2])])
    with pytest.raises(ValueError, match="No rows"):
        moments([])
