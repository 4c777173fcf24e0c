"""The causes of wrong boxes."""

import numpy as np

from evaluation.localization.confusion import Surroundings, class_shares, confusion_matrix, judge
from evaluation.reading.entities import TYPES

MAN, HAT, DOG = (0, 0, 40, 100), (10, 0, 30, 20), (60, 60, 100, 100)
AROUND = Surroundings(
    ("1", "2", "3", "4"),
    np.array([MAN, HAT, DOG, HAT], dtype=float),
    (("people",), ("clothing",), ("animals",), ("other",)),
)


def test_a_box_that_hits_its_own_chain_is_correct_even_if_it_hits_another_one() -> None:
    assert judge(HAT, "2", AROUND).kind == "correct"


def test_a_box_on_another_chain_is_confused() -> None:
    found = judge(MAN, "3", AROUND)
    assert (found.kind, found.hit_types) == ("confused", (("people",),))


def test_a_box_of_two_chains_is_one_box_with_the_types_of_both() -> None:
    assert judge(HAT, "3", AROUND).hit_types == (("clothing", "other"),)


def test_a_box_that_overlaps_a_little_is_partial_and_less_is_elsewhere() -> None:
    assert judge((0, 0, 20, 20), "1", AROUND).kind == "partial"
    assert judge((0, 0, 10, 10), "1", AROUND).kind == "elsewhere"
    assert judge(None, "1", AROUND).kind == "elsewhere"


def test_an_overlap_of_exactly_a_half_is_a_hit_and_one_of_a_tenth_is_partial() -> None:
    half, tenth = (0, 0, 20, 100), (0, 0, 4, 100)
    assert judge(half, "1", AROUND).kind == "correct"
    assert judge(half, "3", AROUND).kind == "confused"
    assert judge(tenth, "1", AROUND).kind == "partial"


def test_a_box_that_was_never_proposed_is_told_before_confusion() -> None:
    assert judge(MAN, "3", AROUND, was_proposed=False).kind == "no proposal"
    assert judge(None, "3", AROUND, was_proposed=False).kind == "no proposal"


def test_shares_add_up_and_the_matrix_counts_each_type_of_phrase_and_box() -> None:
    judged = [judge(HAT, "3", AROUND), judge(DOG, "3", AROUND)]
    assert sum(class_shares(judged).values()) == 100
    matrix = confusion_matrix([(("animals", "other"), one) for one in judged])
    assert matrix.sum() == 4
    assert matrix[TYPES.index("animals"), TYPES.index("clothing")] == 1
