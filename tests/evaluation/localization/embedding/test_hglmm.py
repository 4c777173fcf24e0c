"""The mixture of Gaussians and Laplacians is fitted by steps that never make it worse, and knows both shapes."""

import numpy as np
import pytest

from evaluation.localization.embedding.hglmm import Hglmm, fit_hglmm, log_joint, weighted_medians


def planted(rows: int, seed: int) -> tuple[np.ndarray, Hglmm]:
    """Draw rows from three components far apart, each dimension Gaussian or Laplacian by lot."""
    lot = np.random.default_rng(seed)
    size = 20
    truth = Hglmm(
        weights=np.array([0.5, 0.3, 0.2]),
        centers=lot.normal(0, 6, (3, size)),
        scales=lot.uniform(0.5, 1.5, (3, size)),
        laplacian=lot.random((3, size)) < 0.5,
    )
    labels = lot.choice(3, size=rows, p=truth.weights)
    gaussian, laplace = lot.normal(size=(rows, size)), lot.laplace(size=(rows, size))
    shapes = np.where(truth.laplacian[labels], laplace, gaussian)
    return truth.centers[labels] + truth.scales[labels] * shapes, truth


@pytest.mark.parametrize("seed", range(4))
def test_the_log_likelihood_never_falls(seed: int) -> None:
    lot = np.random.default_rng(seed)
    # Mixed shapes and many components for few rows: they overlap, and some are nearly empty.
    rows = np.concatenate([lot.normal(size=(200, 6)), lot.laplace(1, 2, (150, 6)), np.round(lot.normal(size=(50, 6)))])
    fitted = fit_hglmm(rows, 12, steps=40, seed=seed, tolerance=-np.inf)
    history = np.array(fitted.log_likelihoods)
    assert len(history) == 41
    assert np.diff(history).min() > -1e-9
    assert history[-1] > history[0] + 0.01


def test_nine_in_ten_planted_shapes_are_recognised_at_5000_samples() -> None:
    rows, truth = planted(5000, seed=1)
    found = fit_hglmm(rows, 3, steps=30).mixture
    match = np.argmin(np.abs(found.centers[:, None] - truth.centers[None]).sum(axis=2), axis=1)
    assert sorted(match) == [0, 1, 2]
    assert np.mean(found.laplacian == truth.laplacian[match]) >= 0.9
    assert np.abs(found.weights - truth.weights[match]).max() < 0.02
    assert np.abs(found.scales - truth.scales[match]).max() < 0.15


def test_densities_sum_to_one() -> None:
    mixture = Hglmm(
        np.array([0.4, 0.6]), np.array([[0.0], [2.0]]), np.array([[1.0], [0.5]]), np.array([[True], [False]])
    )
    points = np.linspace(-30, 30, 60001)[:, None]
    assert np.exp(log_joint(mixture, points)).sum() * 0.001 == pytest.approx(1, abs=1e-5)


def test_a_weighted_median_is_the_first_value_with_half_of_the_weight() -> None:
    values = np.array([3.0, 1.0, 2.0])
    order = np.argsort(values)
    shares = np.array([[1.0, 0.6], [1.0, 0.2], [1.0, 0.2]])
    assert weighted_medians(values[order], order, shares).tolist() == [2.0, 3.0]


def test_equal_rows_and_too_few_rows() -> None:
    fitted = fit_hglmm(np.repeat(np.arange(4.0)[:, None], 5, axis=0), 4)
    assert np.isfinite(fitted.log_likelihoods).all()
    with pytest.raises(ValueError, match="5 components need at least as many vectors; there are 3"):
        fit_hglmm(np.zeros((3, 2)), 5)
