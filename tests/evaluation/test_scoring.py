"""Overlap of boxes, and suppression.
Recall at K.
Intervals by drawing images again.
Recall, suppression and bound equal a slow reference on random boxes of which many are equal or tie.
"""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from evaluation.scoring.bootstrap import interval, resampled_shares, two_sided
from evaluation.scoring.iou import area, iou, nms, paired_iou
from evaluation.scoring.recall import first_hit, members, proposal_bound, recall_at, recall_figures
from tests.support.table import case

WHOLE, HALF, MORE = (0, 0, 10, 10), (0, 0, 10, 5), (0, 0, 10, 6)


def test_half_of_a_box_overlaps_by_a_half_and_boxes_that_touch_or_have_no_area_not_at_all() -> None:
    assert iou(np.array([WHOLE]), np.array([HALF, [20, 20, 30, 30]])).tolist() == [[0.5, 0.0]]
    assert iou(np.array([[0, 0, 5, 5]]), np.array([[5, 0, 10, 5]])).tolist() == [[0.0]]
    assert paired_iou(np.array([3.0, 3, 3, 3]), np.array([3.0, 3, 3, 3])).tolist() == 0.0
    assert area(np.array([[1, 2, 4, 6]])).tolist() == [12], "square pixels"


@case("an overlap of exactly the threshold suppresses nothing", np.array([WHOLE, HALF]), [0.1, 0.2], [0, 1])
# HALF overlaps MORE by 0.83 and WHOLE by 0.5; MORE goes because of WHOLE.
@case("a suppressed box suppresses nothing", np.array([WHOLE, MORE, HALF]), [0.1, 0.2, 0.3], [0, 2])
@case("ties keep their order", np.array([(0, 0, 1, 1), WHOLE, HALF]), [0.5, 0.5, 0.5], [0, 1, 2])
@case("no boxes stay of none", np.zeros((0, 4)), [], [])
@case("a box goes if a better one overlaps it by more", np.array([MORE, WHOLE]), [0.2, 0.1], [1])
def test_nms(boxes, distances, expected) -> None:
    assert nms(boxes, np.array(distances)).tolist() == expected


LESS = (0, 0, 10, 4)


def test_an_overlap_of_exactly_a_half_is_a_hit_and_a_query_without_boxes_a_miss() -> None:
    assert first_hit(np.array([LESS, HALF]), WHOLE) == 2
    assert proposal_bound(np.array([HALF]), np.array([WHOLE, LESS])).tolist() == [True, True]
    assert proposal_bound(np.array([LESS]), np.array([WHOLE])).tolist() == [False]
    assert first_hit(np.zeros((0, 4)), WHOLE) == 0
    assert proposal_bound(np.zeros((0, 4)), np.array([WHOLE])).tolist() == [False]


def test_recall_counts_ranks_up_to_k_and_no_misses_and_a_query_of_two_types_in_each_and_once_in_all() -> None:
    assert [recall_at(np.array([1, 2, 5, 6, 0]), k) for k in (1, 5, 10)] == [20, 60, 80]
    figures = recall_figures(np.array([1, 0]), members([("people", "clothing"), ("people",)]))
    assert (figures["R@1"], figures["R@1.people"], figures["R@1.clothing"]) == (50, 50, 100)
    assert "R@1.animals" not in figures


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_the_interval_holds_the_spread_of_a_share() -> None:
    truth = np.random.default_rng(1).random((400, 1)) < 0.3
    low, high = interval(resampled_shares(truth.astype(float), np.ones((400, 1)), rng(), 2000))
    assert low[0] < 100 * truth.mean() < high[0]
    assert high[0] - low[0] == pytest.approx(2 * 1.96 * 100 * np.sqrt(0.3 * 0.7 / 400), rel=0.12)


def test_phrases_of_one_image_are_drawn_together_and_by_the_same_seed_the_same_images_for_two_models() -> None:
    hits, sizes = np.array([[50.0], [0.0]]), np.array([[50.0], [50.0]])
    assert set(np.unique(resampled_shares(hits, sizes, rng(), 200))) == {0, 50, 100}
    hits, sizes = np.arange(20.0).reshape(10, 2), np.full((10, 2), 20.0)
    first, second = (resampled_shares(hits, sizes, rng(), 120) for _ in range(2))
    low, high = interval(first - second)
    assert (first == second).all() and (low == 0).all() and (high == 0).all()


def test_a_difference_that_never_changes_its_sign_has_the_smallest_p_and_no_queries_give_no_share() -> None:
    assert two_sided(np.array([[1.0, 0.0]] * 999)).tolist() == [0.002, 1.0]
    assert resampled_shares(np.zeros((3, 1)), np.zeros((3, 1)), rng(), 4).tolist() == [[0.0]] * 4


Box = Sequence[int]


def boxes(source: random.Random, number: int) -> list[tuple[int, int, int, int]]:
    found = []
    for _ in range(number):
        x0, y0 = source.randrange(5), source.randrange(5)
        found.append((x0, y0, x0 + source.randint(1, 5), y0 + source.randint(1, 5)))
    return found + found[: number // 4]


@pytest.mark.parametrize("seed", range(200))
def test_they_equal_the_reference(seed: int) -> None:
    source = random.Random(seed)
    proposals, golds = boxes(source, source.randint(1, 16)), boxes(source, 8)
    distances, array = [source.randrange(4) / 4 for _ in proposals], np.array(proposals)
    assert iou(array, np.array(golds)).tolist() == [[float(overlap(one, gold)) for gold in golds] for one in proposals]
    kept = nms(array, np.array(distances))
    assert kept.tolist() == suppressed(proposals, distances)
    ranks = [first_hit(array[kept], gold) for gold in golds]
    slow = [rank([proposals[i] for i in kept], gold) for gold in golds]
    assert ranks == slow
    for k in (1, 5, 10):
        assert recall_at(np.array(ranks), k) == 100 * sum(0 < one <= k for one in slow) / len(slow)
    assert proposal_bound(array, np.array(golds)).tolist() == [rank(proposals, gold) > 0 for gold in golds]


def overlap(one: Box, other: Box) -> Fraction:
    pixels, others = cells(one), cells(other)
    either = len(pixels | others)
    return Fraction(len(pixels & others), either) if either else Fraction(0)


def cells(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def suppressed(boxes: Sequence[Box], distances: Sequence[float]) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (distances[i], i)):
        if all(overlap(boxes[i], boxes[j]) <= Fraction(1, 2) for j in kept):
            kept.append(i)
    return kept


def rank(ranked: Sequence[Box], gold: Box) -> int:
    return next((i for i, box in enumerate(ranked, start=1) if overlap(box, gold) >= Fraction(1, 2)), 0)
