"""Recall at K."""

import numpy as np

from evaluation.scoring.recall import first_hit, members, proposal_bound, recall_at, recall_figures

WHOLE, HALF, LESS = (0, 0, 10, 10), (0, 0, 10, 5), (0, 0, 10, 4)


def test_an_overlap_of_exactly_a_half_is_a_hit() -> None:
    assert first_hit(np.array([LESS, HALF]), WHOLE) == 2
    assert proposal_bound(np.array([HALF]), np.array([WHOLE, LESS])).tolist() == [True, True]
    assert proposal_bound(np.array([LESS]), np.array([WHOLE])).tolist() == [False]


def test_a_query_without_boxes_is_a_miss() -> None:
    assert first_hit(np.zeros((0, 4)), WHOLE) == 0
    assert proposal_bound(np.zeros((0, 4)), np.array([WHOLE])).tolist() == [False]


def test_recall_counts_ranks_up_to_k_and_no_misses() -> None:
    ranks = np.array([1, 2, 5, 6, 0])
    assert [recall_at(ranks, k) for k in (1, 5, 10)] == [20, 60, 80]


def test_a_query_of_two_types_counts_in_each_and_once_in_all() -> None:
    by_type = members([("people", "clothing"), ("people",)])
    figures = recall_figures(np.array([1, 0]), by_type)
    assert (figures["R@1"], figures["R@1.people"], figures["R@1.clothing"]) == (50, 50, 100)
    assert "R@1.animals" not in figures
