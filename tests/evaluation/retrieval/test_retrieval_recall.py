"""Ranks of retrieval, both ways."""

import numpy as np

from evaluation.retrieval.retrieval_recall import both_ways, first_own_ranks


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
