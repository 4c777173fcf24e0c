"""Majority is more than half of the votes, unanimity all of them; typed words are compared but for form."""

import pytest

from evaluation.foil.human.people import MAJORITY, UNANIMITY, is_foil_word, is_right
from evaluation.foil.making.lexicon import Lexicon


@pytest.mark.parametrize(
    ("votes", "majority", "unanimity"),
    [
        ([True, True, True], True, True),
        ([True, True, False], True, False),
        ([True, False, False], False, False),
        ([True, False], False, False),
        ([True], True, True),
        ([], False, False),
    ],
)
def test_right_votes_are_counted(votes: list[bool], *, majority: bool, unanimity: bool) -> None:
    assert (is_right(votes, MAJORITY), is_right(votes, UNANIMITY)) == (majority, unanimity)


@pytest.mark.parametrize(
    ("typed", "word", "same"),
    [
        ("Dog", "dog", True),
        (" dogs. ", "dog", True),
        ("“KNIVES”", "knife", True),
        ("skis", "skis", True),
        ("dogged", "dog", False),
        ("the dog", "dog", False),
        ("", "dog", False),
        (None, "dog", False),
    ],
)
def test_case_punctuation_and_number_make_no_difference(
    coco_words: Lexicon, typed: str | None, word: str, *, same: bool
) -> None:
    assert is_foil_word(typed, word, coco_words) is same
