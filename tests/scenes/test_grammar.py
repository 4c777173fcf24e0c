"""Patterns become sentences that agree in number."""

from random import Random

import pytest

from scenes.grammar import Noun, compose
from scenes.words import a

NOUNS = {
    "dog": Noun(("a dog",), ("animals",)),
    "dogs": Noun(("+two dogs",), ("animals",)),
    "boat": Noun(("a small vessel|other",), ("vehicles",)),
    "white-dog": Noun(("a white dog",), ("animals",)),
}


def said(pattern: str) -> str:
    return compose(pattern, NOUNS, Random(0)).caption.text


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("[dog] runs/run", "A dog runs ."),
        ("[dogs] runs/run", "Two dogs run ."),
        ("[dog] barks while [dogs!] runs/run", "A dog barks while two dogs run ."),
        ("[dogs] see [dog] and is/are happy", "Two dogs see a dog and are happy ."),
        ("[white-dog] sees <them> in <the_background>", "A white dog sees them in the background ."),
    ],
)
def test_verbs_follow_their_subject(pattern: str, sentence: str) -> None:
    assert said(pattern) == sentence


def test_it_marks_where_mentions_and_other_chunks_are() -> None:
    sentence = compose("[dogs] chase [dog] in <the_background>", NOUNS, Random(0))
    assert sentence.mentions == ((0, 2, "dogs", ("animals",)), (3, 5, "dog", ("animals",)))
    assert sentence.caption.non_visual == ((6, 8),)
    assert sentence.caption.offsets == (0, 4, 9, 15, 17, 21, 24, 28, 39)


def test_a_phrase_can_have_types_of_its_own() -> None:
    assert compose("see [boat]", NOUNS, Random(0)).mentions[0][3] == ("other",)


def test_it_chooses_among_alternatives_even_nested_ones() -> None:
    seen = {compose("[dog] (sits|runs( fast|))", NOUNS, Random(seed)).caption.text for seed in range(40)}
    assert seen == {"A dog sits .", "A dog runs .", "A dog runs fast ."}


def test_it_refuses_a_mention_without_a_noun() -> None:
    with pytest.raises(KeyError, match="cat"):
        said("[cat] sits")


@pytest.mark.parametrize(
    ("words", "phrase"), [("orange hat", "an orange hat"), ("red hat", "a red hat"), ("+jeans", "+jeans")]
)
def test_the_article_goes_with_the_sound(words: str, phrase: str) -> None:
    assert a(words) == phrase
