"""Fisher vectors are gradients of the log-likelihood, have length one and 2 K D numbers."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evaluation.localization.embedding.fisher import fisher_vectors, normalized, raw_fisher_vectors, word_terms
from evaluation.localization.embedding.hglmm import Hglmm, posteriors

K, D = 3, 4


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
