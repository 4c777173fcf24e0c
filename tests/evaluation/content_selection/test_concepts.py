"""Concepts of chains."""

import pytest

from evaluation.content_selection.concepts import concept, head, lemma


@pytest.mark.parametrize(
    ("words", "expected"), [("a red Hat", "hat"), ("the hat .", "hat"), ("...", "..."), ("size 10", "10")]
)
def test_the_head_is_the_last_word_with_a_letter_or_digit(words: str, expected: str) -> None:
    assert head(words.split()) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("men", "man"), ("children", "child"), ("dogs", "dog"), ("dress", "dress"), ("bikes", "bike")],
)
def test_nouns_lose_their_plural(noun: str, expected: str) -> None:
    assert lemma(noun) == expected


def test_the_most_frequent_lemma_wins_and_ties_go_to_the_first() -> None:
    assert concept([["two", "dogs"], ["pets"], ["the", "dog"]]) == "dog"
    assert concept([["animals"], ["dogs"]]) == "animal"
