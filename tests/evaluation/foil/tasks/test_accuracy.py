"""Accuracy of the three tasks, and chance by definition."""

import pytest

from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.paper import TASK_1
from evaluation.foil.tasks.accuracy import NOUNS, WORDS, chance_t2, chance_t3, percent, places_of, task_1

TAGS = ("DT", "JJ", "NN", "VBZ", "RB", "IN", "NNS", ".")


def test_overall_is_the_mean_of_right_captions_and_foils() -> None:
    found = task_1([False, False, False, True], [True, None])
    assert found == (62.5, 75.0, 50.0)


def test_no_answer_is_wrong_in_both_classes() -> None:
    assert task_1([None], [None]) == (0, 0, 0)
    assert percent([]) == 0


@pytest.mark.parametrize("row", TASK_1)
def test_the_papers_rows_obey_it_to_a_hundredth(row: str) -> None:
    overall, correct, foil = TASK_1[row]
    assert overall == pytest.approx((correct + foil) / 2, abs=0.0151)


def test_chance_of_task_2_is_the_mean_of_one_in_the_places() -> None:
    assert chance_t2([[1, 4], [2], [0, 1, 2, 3]]) == pytest.approx(100 * (1 / 2 + 1 + 1 / 4) / 3)


def test_chance_of_task_3_is_one_in_72(coco_words: Lexicon) -> None:
    assert round(chance_t3(len(coco_words.words)), 2) == 1.39


def test_nouns_or_all_content_words_are_places() -> None:
    assert places_of(TAGS, 2, NOUNS) == [2, 6]
    assert places_of(TAGS, 2, WORDS) == [1, 2, 3, 4, 6]


def test_the_wrong_word_is_a_place_whatever_its_tag_is() -> None:
    assert places_of(TAGS, 5, NOUNS) == [2, 5, 6]
