"""CCA finds the correlations that a dense solver finds; pairs are near each other in the shared space."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.linalg import eigh

from evaluation.localization.embedding.cca import (
    Cca,
    Chunk,
    choose_ridge,
    cosine_distances,
    fit_cca,
    moments,
    project_x,
    project_y,
)


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


@pytest.mark.slow
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


def test_the_ridge_with_the_best_score_is_chosen_and_the_smallest_of_equal_ones() -> None:
    scores = {0.1: 3.0, 1.0: 5.0, 10.0: 5.0}
    ridge, fitted, found = choose_ridge(lambda each: each, lambda each: scores[each], tuple(scores))  # type: ignore
    assert (ridge, fitted, found) == (1.0, 1.0, scores)


def test_projections_have_length_one_and_pairs_are_near() -> None:
    x, y = views(2000, 30, 20, 8, seed=5)
    found = fit_cca([(x[:1500], y[:1500])], 8)
    left, right = project_x(found, x[1500:]), project_y(found, y[1500:])
    assert np.linalg.norm(left, axis=1) == pytest.approx(np.ones(500), abs=1e-5)
    distances = cosine_distances(left, right)
    assert distances.min() >= 0 and distances.max() <= 1
    assert np.mean(np.argmin(distances, axis=1) == np.arange(500)) > 0.25
    plain = project_x(found, x[1500:], power=0)
    assert np.abs(plain - left).max() > 0.05


def test_columns_are_scaled_by_powers_of_the_correlations() -> None:
    fitted = Cca(np.zeros(2), np.zeros(2), np.eye(2), np.eye(2), np.array([0.8, 0.5]))
    rows = np.array([[3.0, 4.0], [0, 0]])
    for power, (first, second) in {0: (3, 4), 1: (2.4, 2.0), 4: (3 * 0.4096, 4 * 0.0625)}.items():
        expected = np.array([[first, second], [0, 0]]) / np.hypot(first, second)
        assert project_x(fitted, rows, power=power) == pytest.approx(expected, abs=1e-6)
        assert project_y(fitted, rows, power=power) == pytest.approx(expected, abs=1e-6)


def test_angles_beyond_the_right_one_count_as_1() -> None:
    left = np.array([[1.0, 0], [0, 1]])
    right = np.array([[0.6, 0.8], [-1, 0]])
    assert cosine_distances(left, right) == pytest.approx(np.array([[0.4, 1], [0.2, 1]]), abs=1e-9)
