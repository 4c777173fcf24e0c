"""The baselines: orders by position, size and words, their combinations, and chance."""

import itertools

import numpy as np
import pytest

from evaluation.content_selection.baselines import (
    BigramCounts,
    bigram_counts,
    bigram_order,
    combine,
    distances,
    expected,
    position_order,
    random_scores,
    ranks,
    size_order,
    unigram_counts,
    unigram_order,
)
from evaluation.content_selection.score import scores_by_k
from tests.evaluation.content_selection.scenes import scene

WOMAN = {"2": "woman", "0": "dress", "5": "boot", "3": "car"}
MEMBERS = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1]], dtype=bool)
KS = (1, 2, 3, 9)


def test_the_box_nearest_to_the_centre_comes_first() -> None:
    boxes = np.array([[0, 0, 10, 10], [45, 20, 55, 30], [0, 0, 100, 50]])
    assert position_order(boxes, 100, 50).tolist() == [1, 2, 0]
    assert distances(boxes, 100, 50).tolist() == [np.hypot(45, 20), 0, 0]


def test_the_largest_comes_first_and_ties_keep_their_order() -> None:
    boxes = np.array([[0, 0, 2, 2], [0, 0, 9, 9], [5, 5, 9, 6], [0, 0, 3, 9]])
    assert size_order(boxes).tolist() == [1, 3, 0, 2]


def test_every_reference_counts_and_unknown_concepts_come_last() -> None:
    counts = unigram_counts([scene({"1": "man", "2": "dog"}, "121", "2", ""), scene({"7": "man"}, "7")])
    assert counts == {"man": 3, "dog": 2}
    assert unigram_order(["cat", "dog", "man", "man"], counts).tolist() == [2, 3, 1, 0]


def test_only_neighbours_are_counted() -> None:
    counts = bigram_counts([scene(WOMAN, "2053", "23")])
    assert counts.first == {"woman": 2}
    assert counts.after == {"woman": {"dress": 1, "car": 1}, "dress": {"boot": 1}, "boot": {"car": 1}}


def test_it_follows_the_likeliest_and_stops_when_none_is_left() -> None:
    counts = bigram_counts([scene(WOMAN, "23", "23", "20")])
    assert bigram_order(["dress", "car", "woman"], counts).tolist() == [2, 1]
    assert bigram_order(["dress", "woman"], counts).tolist() == [1, 0]


def test_it_may_choose_nothing() -> None:
    assert bigram_order(["dress"], bigram_counts([scene(WOMAN, "23")])).tolist() == []
    assert bigram_order([], BigramCounts()).tolist() == []


def test_ties_go_to_the_earlier_box() -> None:
    counts = bigram_counts([scene(WOMAN, "2", "3")])
    assert bigram_order(["car", "woman"], counts).tolist() == [0]


def test_boxes_that_were_left_out_share_the_mean_rank() -> None:
    assert ranks(np.array([4, 2, 0]), 9).tolist() == [3, 6.5, 2, 6.5, 1, 6.5, 6.5, 6.5, 6.5]


def test_the_ranks_of_a_whole_order_are_its_places() -> None:
    assert ranks(np.array([1, 0, 2]), 3).tolist() == [2, 1, 3]


def test_the_mean_rank_decides_and_ties_go_by_sight() -> None:
    text, visual = np.array([0, 1, 2]), np.array([2, 1, 0])
    assert combine(text, visual, 3).tolist() == [2, 1, 0]
    assert combine(np.array([1]), np.array([0, 1, 2]), 3).tolist() == [1, 0, 2]


def test_the_closed_form_is_the_mean_over_all_orders() -> None:
    every = [scores_by_k(MEMBERS, np.array(order), KS) for order in itertools.permutations(range(4))]
    assert expected(MEMBERS, KS) == pytest.approx(np.mean(every, axis=0)[:, :2], abs=1e-12)


def test_draws_come_near_the_closed_form() -> None:
    drawn = random_scores(MEMBERS, KS, 4000, np.random.default_rng(1))
    error = drawn.std(axis=0, ddof=1)[:, :2] / np.sqrt(4000)
    assert (np.abs(drawn.mean(axis=0)[:, :2] - expected(MEMBERS, KS)) <= 3 * error + 1e-12).all()
