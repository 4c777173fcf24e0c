"""Equation 4 on a table worked by hand."""

import numpy as np
import pytest

from evaluation.retrieval.region_phrase_distance import region_phrase_distances

BEST = np.array([[0.2, 0.4], [0.6, 0.1], [0.5, 0.7]])
"""Three phrases, two images."""


def test_equation_4() -> None:
    found = region_phrase_distances(BEST, [[0, 1], [0, 1, 2], [2], [1, 1]])
    two, three = 2 * 2**0.5, 3 * 3**0.5
    expected = [[0.8 / two, 0.5 / two], [1.3 / three, 1.2 / three], [0.5, 0.7], [1.2 / two, 0.2 / two]]
    assert found == pytest.approx(np.array(expected), abs=1e-9)


def test_gamma_1_is_the_mean_and_a_sentence_without_phrases_has_distance_1() -> None:
    found = region_phrase_distances(BEST, [[], [0, 1]], gamma=1)
    assert found == pytest.approx(np.array([[1, 1], [0.4, 0.25]]), abs=1e-9)
