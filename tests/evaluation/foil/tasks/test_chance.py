"""Chance, by definition."""

import pytest

from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.tasks.chance import chance_t2, chance_t3


def test_chance_of_task_2_is_the_mean_of_one_in_the_places() -> None:
    assert chance_t2([[1, 4], [2], [0, 1, 2, 3]]) == pytest.approx(100 * (1 / 2 + 1 + 1 / 4) / 3)


def test_chance_of_task_3_is_one_in_72(coco_words: Lexicon) -> None:
    assert round(chance_t3(len(coco_words.words)), 2) == 1.39
