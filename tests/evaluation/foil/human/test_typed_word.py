"""Typed words are compared without case, punctuation and number."""

import pytest

from evaluation.foil.human.typed_word import is_foil_word
from evaluation.foil.making.lexicon import Lexicon


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
