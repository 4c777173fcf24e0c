"""The score of a selection: the paper's Figure 2, worked by hand, and the fast form of it."""

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from evaluation.content_selection.read_scenes import scene_of
from evaluation.content_selection.score import score, scores_by_k, upper_bound
from evaluation.reading.entities import read_entities

# Boxes of the seven descriptions: woman 2, car 3, boots 5, dress or top 0.
FIGURE_2 = [set("2053"), set("23"), set("253"), set("23"), set("23"), set("253"), set("2503")]
WORKED: dict[str, tuple[float | Fraction, ...]] = {
    "23": (1, Fraction(16, 21), Fraction(32, 37)),
    "2": (1, Fraction(8, 21), Fraction(16, 29)),
    "20": (Fraction(9, 14), Fraction(19, 42), 0.5310559006),
    "235": (Fraction(6, 7), Fraction(13, 14), 0.8914285714),
    "0235": (Fraction(5, 7), 1, Fraction(5, 6)),
    "0": (Fraction(2, 7), Fraction(1, 14), Fraction(4, 35)),
}


@pytest.mark.parametrize("selected", WORKED)
def test_the_worked_table(selected: str) -> None:
    assert score(FIGURE_2, selected) == pytest.approx([float(one) for one in WORKED[selected]], abs=1e-9)


def test_the_order_of_a_selection_and_repeats_have_no_effect() -> None:
    for order in itertools.permutations("2305"):
        assert score(FIGURE_2, order) == score(FIGURE_2, "0235")
    assert score(FIGURE_2, "2322") == score(FIGURE_2, "23")


def test_an_empty_selection_and_a_selection_that_nobody_mentions_score_nothing() -> None:
    assert score(FIGURE_2, "") == (0, 0, 0)
    assert score(FIGURE_2, "9") == (0, 0, 0)


def test_scores_for_each_k_equal_those_of_the_first_k_boxes() -> None:
    source = np.random.default_rng(2)
    for _ in range(50):
        boxes = int(source.integers(1, 9))
        members = source.random((4, boxes)) < 0.5
        members[~members.any(axis=1), 0] = True
        gold = [{str(i) for i in np.flatnonzero(row)} for row in members]
        order = source.permutation(boxes)[: int(source.integers(0, boxes + 1))]
        found = scores_by_k(members, order, (1, 2, 3, 15))
        for k, row in zip((1, 2, 3, 15), found, strict=True):
            assert row == pytest.approx(score(gold, [str(i) for i in order[:k]]), abs=1e-12)


def test_the_worked_example() -> None:
    assert upper_bound(FIGURE_2) == pytest.approx((0.857143, 0.857143, 0.837452), abs=1e-6)


def test_one_description_has_nobody_to_agree_with() -> None:
    assert upper_bound([{"1"}]) is None


def test_on_real_chains_precision_and_recall_of_an_image_are_equal(entities: Path) -> None:
    found = [upper_bound(scene_of(picture).gold) for picture in read_entities(entities)]
    values = np.array([one for one in found if one])
    assert np.abs(values[:, 0] - values[:, 1]).max() < 1e-12
    assert values.mean(axis=0) == pytest.approx((0.638, 0.638, 0.616), abs=0.001)
    assert values.std(axis=0) == pytest.approx((0.188, 0.188, 0.189), abs=0.001)
