"""Equations 4 and 5 on tables worked by hand, and ranks both ways."""

import numpy as np
import pytest

from evaluation.retrieval.distances import both_ways, combined_distances, first_own_ranks, region_phrase_distances

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


def test_equation_5() -> None:
    whole, regions = np.array([[0.5, 0.1]]), np.array([[0.2, 0.9]])
    assert combined_distances(whole, regions) == pytest.approx(np.array([[0.41, 0.34]]), abs=1e-9)
    assert combined_distances(whole, regions, 1) == pytest.approx(whole, abs=1e-9)


def test_the_best_of_an_images_sentences_counts() -> None:
    distances = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.7], [0.4, 0.4]])
    images = [0, 0, 1, 1]
    assert first_own_ranks(distances, range(2), images).tolist() == [2, 1, 1, 2]
    assert first_own_ranks(distances.T, images, range(2)).tolist() == [1, 3]
    found = both_ways(distances, images)
    assert found["search.R@1"] == 50 and found["search.R@5"] == 100
    assert found["annotation.R@1"] == 50 and found["annotation.R@10"] == 100


def test_a_group_without_items_is_never_found() -> None:
    assert first_own_ranks(np.zeros((1, 2)), [0, 0], [5]).tolist() == [0]
