"""CCA finds the correlations that a dense solver finds, and planted ones in large noise."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.linalg import eigh

from evaluation.localization.embedding.cca import fit_cca
from evaluation.localization.embedding.moments import Chunk


def views(rows: int, p: int, q: int, shared: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    lot = np.random.default_rng(seed)
    hidden = lot.normal(size=(rows, shared))
    x = hidden @ lot.normal(size=(shared, p)) + 2 * lot.normal(size=(rows, p)) + 30
    y = hidden @ lot.normal(size=(shared, q)) + 2 * lot.normal(size=(rows, q)) - 7
    return x, y


def chunks(x: np.ndarray, y: np.ndarray, size: int) -> Iterator[Chunk]:
    return ((x[start : start + size], y[start : start + size]) for start in range(0, len(x), size))


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_correlations_equal_those_of_a_dense_generalised_eigenproblem(ridge: float) -> None:
    x, y = views(900, 60, 40, 12, seed=2)
    found = fit_cca(chunks(x, y, 128), 40, ridge=ridge, dtype=np.float64)

    whole = np.cov(np.hstack([x, y]).T, bias=True)
    xx, yy, xy = whole[:60, :60].copy(), whole[60:, 60:].copy(), whole[:60, 60:]
    xx += ridge * np.trace(xx) / 60 * np.eye(60)
    yy += ridge * np.trace(yy) / 40 * np.eye(40)
    left = np.block([[np.zeros((60, 60)), xy], [xy.T, np.zeros((40, 40))]])
    right = np.block([[xx, np.zeros((60, 40))], [np.zeros((40, 60)), yy]])
    expected = eigh(left, right, eigvals_only=True)[::-1][:40]
    assert found.correlations == pytest.approx(expected, abs=1e-6)
    assert found.map_x.T @ xx @ found.map_x == pytest.approx(np.eye(40), abs=1e-6)
    assert found.map_x.T @ xy @ found.map_y == pytest.approx(np.diag(expected), abs=1e-6)


def test_the_view_with_fewer_columns_may_be_the_first() -> None:
    x, y = views(400, 20, 50, 5, seed=3)
    one = fit_cca([(x, y)], 8, dtype=np.float64)
    other = fit_cca([(y, x)], 8, dtype=np.float64)
    assert one.correlations == pytest.approx(other.correlations, abs=1e-9)
    assert np.abs(one.map_x) == pytest.approx(np.abs(other.map_y), abs=1e-6)


def test_128_planted_dimensions_are_found_among_1500_by_512() -> None:
    rows, p, q, shared = 10_240, 1_500, 512, 128
    lot = np.random.default_rng(6)
    to_x = lot.standard_normal((shared, p), dtype=np.float32) / np.float32(np.sqrt(p))
    to_y = lot.standard_normal((shared, q), dtype=np.float32) / np.float32(np.sqrt(q))

    def draw(count: int) -> Chunk:
        hidden = 2 * lot.standard_normal((count, shared), dtype=np.float32)
        x = hidden @ to_x + lot.standard_normal((count, p), dtype=np.float32) / 4
        return x, hidden @ to_y + lot.standard_normal((count, q), dtype=np.float32) / 4

    found = fit_cca((draw(2_048) for _ in range(rows // 2_048)), 150)
    # Training correlations of noise are far from 0 with so many dimensions: new rows tell what was found.
    x, y = draw(1_000)
    left, right = (x - found.mean_x) @ found.map_x, (y - found.mean_y) @ found.map_y
    held_out = [np.corrcoef(one, other)[0, 1] for one, other in zip(left.T, right.T, strict=True)]
    assert min(held_out[:shared]) > 0.8
    assert max(np.abs(held_out[shared:])) < 0.2
