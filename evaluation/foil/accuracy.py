"""Accuracy [paper Shekhar, Task 2, Results] of the three tasks, by answers and by chance, and the paper's values."""

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.foil.making.lexicon import TEST, TRAIN

COMPOSITION = {TRAIN: (197_788, 65_697, 395_576, 256), TEST: (99_480, 32_150, 198_960, 216)}
"""Data points, images, captions and pairs of each part."""
TASK_1 = {
    "blind": (55.62, 86.20, 25.04),
    "cnn_lstm": (61.07, 89.16, 32.98),
    "lstm_norm_i": (63.26, 92.02, 34.51),
    "hie_co_att": (64.14, 91.89, 36.38),
    "ic_wang": (42.21, 38.98, 45.44),
    "human_majority": (92.89, 91.24, 94.52),
    "human_unanimity": (76.32, 73.73, 78.90),
}
"""Accuracy overall, on right captions, and on foils."""
TASK_2 = {
    "chance": (23.25, 15.87),
    "lstm_norm_i": (26.32, 24.25),
    "hie_co_att": (38.79, 33.69),
    "ic_wang": (27.59, 23.32),
}
"""Accuracy among the nouns and among all content words."""
TASK_2_HUMAN = {"human_majority": 97.00, "human_unanimity": 73.60}
TASK_3 = {"chance": 1.38, "lstm_norm_i": 4.7, "hie_co_att": 4.21, "ic_wang": 22.16}


NOUNS, CONTENT_WORDS = "nouns", "words"
PLACES = {NOUNS: ("NN",), CONTENT_WORDS: ("NN", "VB", "JJ", "RB")}
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
