"""Projections have length one, and pairs are near each other."""

import numpy as np
import pytest

from evaluation.localization.embedding.cca import Cca, fit_cca
from evaluation.localization.embedding.cosine_distance import cosine_distances
from evaluation.localization.embedding.projection import project_x, project_y


def views(rows: int, p: int, q: int, shared: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    lot = np.random.default_rng(seed)
    hidden = lot.normal(size=(rows, shared))
    x = hidden @ lot.normal(size=(shared, p)) + 2 * lot.normal(size=(rows, p)) + 30
    y = hidden @ lot.normal(size=(shared, q)) + 2 * lot.normal(size=(rows, q)) - 7
    return x, y


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
