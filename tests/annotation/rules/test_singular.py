"""Plural nouns and their singulars."""

import pytest

from annotation.rules.singular import singulars


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("men", "man"),
        ("firemen", "fireman"),
        ("ladies", "lady"),
        ("benches", "bench"),
        ("horses", "horse"),
        ("dresses", "dress"),
        ("wolves", "wolf"),
        ("bikinis", "bikini"),
        ("grandchildren", "grandchild"),
    ],
)
def test_plurals_lead_to_their_singular(plural: str, singular: str) -> None:
    assert singular in singulars(plural)


@pytest.mark.parametrize("word", ["grass", "dress", "as", "man", ""])
def test_singulars_stay(word: str) -> None:
    assert singulars(word) == (word,)
