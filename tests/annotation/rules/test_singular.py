"""Plural nouns and their singulars."""

from annotation.rules.singular import singulars


def test_plurals_lead_to_their_singular() -> None:
    for plural, singular in [
        ("men", "man"),
        ("firemen", "fireman"),
        ("ladies", "lady"),
        ("benches", "bench"),
        ("horses", "horse"),
        ("dresses", "dress"),
        ("wolves", "wolf"),
        ("bikinis", "bikini"),
        ("grandchildren", "grandchild"),
    ]:
        assert singular in singulars(plural), plural


def test_singulars_stay() -> None:
    words = ["grass", "dress", "as", "man", ""]
    assert {word: singulars(word) for word in words} == {word: (word,) for word in words}
