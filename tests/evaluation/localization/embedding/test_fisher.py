"""Fisher vectors are gradients of the log-likelihood of a mixture that no step of its fit makes worse."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evaluation.localization.embedding import fisher
from evaluation.localization.embedding.fisher import (
    Hglmm,
    fisher_vectors,
    fit_hglmm,
    log_joint,
    normalized,
    posteriors,
    raw_fisher_vectors,
    weighted_medians,
    word_terms,
)

K, D = 3, 4


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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_log_likelihood_never_falls(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    history: list[float] = []

    def noted(mixture: Hglmm, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = posteriors(mixture, data)
        history.append(float(found[1].mean()))
        return found

    monkeypatch.setattr(fisher, "posteriors", noted)
    lot = np.random.default_rng(seed)
    # Mixed shapes and many components for few rows: they overlap, and some are nearly empty.
    rows = np.concatenate([lot.normal(size=(200, 6)), lot.laplace(1, 2, (150, 6)), np.round(lot.normal(size=(50, 6)))])
    noted(fit_hglmm(rows, 12, steps=40, seed=seed, tolerance=-np.inf), rows)
    assert len(history) == 41
    assert np.diff(history).min() > -1e-9
    assert history[-1] > history[0] + 0.01


def test_a_fit_ends_with_the_first_step_that_adds_less_than_the_tolerance() -> None:
    rows = np.random.default_rng(4).normal(size=(100, 3))
    ended, one, many = (
        fit_hglmm(rows, 4, steps=steps, tolerance=tolerance).centers
        for steps, tolerance in ((9, np.inf), (1, 0), (9, 0))
    )
    assert (ended == one).all() and not (one == many).all()


def test_nine_in_ten_planted_shapes_are_recognised_at_5000_samples() -> None:
    rows, truth = planted(5000, seed=1)
    found = fit_hglmm(rows, 3, steps=30)
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
    rows = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    assert np.isfinite(posteriors(fit_hglmm(rows, 4), rows)[1]).all()
    with pytest.raises(ValueError, match="5 components need at least as many vectors; there are 3"):
        fit_hglmm(np.zeros((3, 2)), 5)


def mixture() -> Hglmm:
    lot = np.random.default_rng(5)
    laplacian = lot.random((K, D)) < 0.5
    assert laplacian.any() and not laplacian.all()
    return Hglmm(np.array([0.5, 0.2, 0.3]), lot.normal(size=(K, D)), lot.uniform(0.6, 1.4, (K, D)), laplacian)


def slope(of: Callable[[float], float], at: float, step: float = 1e-5) -> float:
    return (of(at + step) - of(at - step)) / (2 * step)


def test_raw_vectors_equal_numeric_gradients() -> None:
    model, words = mixture(), np.random.default_rng(6).normal(size=(7, D))
    raw = raw_fisher_vectors(word_terms(model, words), [range(7)])[0].reshape(2, K, D)

    def likelihood(name: str, place: tuple[int, int]) -> Callable[[float], float]:
        def of(value: float) -> float:
            changed = getattr(model, name).copy()
            changed[place] = value
            return float(posteriors(replace(model, **{name: changed}), words)[1].sum())

        return of

    for place in np.ndindex(K, D):
        scale = float(model.scales[place])
        by_center = slope(likelihood("centers", place), float(model.centers[place]))
        by_scale = slope(likelihood("scales", place), scale)
        divisor = 7 * np.sqrt(model.weights[place[0]])
        assert raw[0][place] == pytest.approx(by_center * scale / divisor, abs=1e-4)
        root = 1 if model.laplacian[place] else np.sqrt(2)
        assert raw[1][place] == pytest.approx(by_scale * scale / root / divisor, abs=1e-4)


def test_vectors_have_length_one_and_two_k_d_numbers() -> None:
    words = np.random.default_rng(7).normal(size=(20, D))
    found = fisher_vectors(mixture(), words, [[0, 1, 2], [19], [5, 5]])
    assert found.shape == (3, 2 * K * D)
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert found[2] == pytest.approx(fisher_vectors(mixture(), words, [[5]])[0], abs=1e-6)


def test_a_phrase_without_known_words_is_a_vector_of_zeros() -> None:
    assert not fisher_vectors(mixture(), np.ones((1, D)), [[], []]).any()


def test_signed_roots() -> None:
    assert normalized(np.array([[-9.0, 16.0]], dtype=np.float32))[0] == pytest.approx([-0.6, 0.8])
