"""The guess about a data set that is being checked."""

import pytest

from pipeline.rules.jurors.source import BOXES, Source

ENTITIES = Source(50, 0.95)


def test_the_guess_weighs_as_many_boxes_as_are_said():
    good, bad = ENTITIES.boxes()
    assert good + bad == pytest.approx(BOXES)
    assert good / BOXES == pytest.approx(0.95)


def test_the_number_of_boxes_that_the_source_has_becomes_likely_however_large_it_is():
    even = [1 / 13] * 13
    for own in (0, 1, 5, 12, 40):
        chances = ENTITIES.weigh(even, own)
        assert sum(chances) == pytest.approx(1)
        assert chances[min(own, 12)] > 0.9


def test_a_wrong_number_is_mostly_one_too_many_or_one_too_few():
    even = [1 / 13] * 13
    chances = ENTITIES.weigh(even, 3)
    assert sorted(range(13), key=lambda number: -chances[number])[:3] == [3, 2, 4]
    assert chances[0] == chances[7] == 0, "one box of three is forgotten, not invented"
    assert ENTITIES.weigh(even, 1)[0] > ENTITIES.weigh(even, 2)[0], "where none is due, the wrong number is 1"
    assert ENTITIES.weigh(even, 0)[1] > ENTITIES.weigh(even, 0)[2], "one box is forgotten sooner than two"


def test_a_number_that_the_phrase_speaks_against_stays_less_likely():
    assert ENTITIES.weigh([0.0, 0.97, 0.03], 2)[2] < 0.7


def test_half_of_the_wrong_chains_are_wrong_in_their_phrases():
    assert ENTITIES.phrase_error == pytest.approx(0.025)
