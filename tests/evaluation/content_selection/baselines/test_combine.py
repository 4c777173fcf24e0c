"""The mean of two ranks."""

import numpy as np

from evaluation.content_selection.baselines.combine import combine, ranks


def test_boxes_that_were_left_out_share_the_mean_rank() -> None:
    assert ranks(np.array([4, 2, 0]), 9).tolist() == [3, 6.5, 2, 6.5, 1, 6.5, 6.5, 6.5, 6.5]


def test_the_ranks_of_a_whole_order_are_its_places() -> None:
    assert ranks(np.array([1, 0, 2]), 3).tolist() == [2, 1, 3]


def test_the_mean_rank_decides_and_ties_go_by_sight() -> None:
    text, visual = np.array([0, 1, 2]), np.array([2, 1, 0])
    assert combine(text, visual, 3).tolist() == [2, 1, 0]
    assert combine(np.array([1]), np.array([0, 1, 2]), 3).tolist() == [1, 0, 2]
