"""Accuracy [paper Shekhar, Task 2, Results] of the three tasks, by answers and by chance, in percent."""

from collections.abc import Sequence
from typing import NamedTuple

NOUNS, WORDS = "nouns", "words"
PLACES = {NOUNS: ("NN",), WORDS: ("NN", "VB", "JJ", "RB")}
"""The tags of nouns, and of content words: nouns, verbs, adjectives and adverbs."""
CHANCE_T1 = 50.0


def places_of(tags: Sequence[str], wrong: int, kind: str) -> list[int]:
    """Return the places with these tags, and the wrong one whatever its tag is."""
    return [place for place, tag in enumerate(tags) if place == wrong or tag.startswith(PLACES[kind])]


class Classes(NamedTuple):
    """Accuracy of task 1. `overall`: the mean of the two classes, which are equally many."""

    overall: float
    correct: float
    foil: float


def task_1(correct: Sequence[bool | None], foils: Sequence[bool | None]) -> Classes:
    """Return the accuracy of answers "it is a foil" about right captions and about foils. None is wrong."""
    right = percent([answer is False for answer in correct])
    wrong = percent([answer is True for answer in foils])
    return Classes((right + wrong) / 2, right, wrong)


def percent(hits: Sequence[bool]) -> float:
    """Return the share of hits in percent; 0 for none."""
    return 100 * sum(hits) / len(hits) if hits else 0.0


def chance_t2(places: Sequence[Sequence[int]]) -> float:
    """Return the mean over foils of one in the number of places that could be wrong, in percent."""
    return 100 * sum(1 / len(place) for place in places) / len(places)


def chance_t3(words: int) -> float:
    """Return one in the number of other words of the lexicon, in percent: 1.39 for 73 words."""
    return 100 / (words - 1)
