"""The guess about a data set that is being checked."""

import pytest

from pipeline.rules.jurors.source import BOXES, CHAINS, Source

ENTITIES = Source(50, 0.95)


def test_the_guess_weighs_as_many_boxes_and_chains_as_are_said():
    assert sum(ENTITIES.boxes()) == pytest.approx(BOXES)
    assert all(sum(row) == pytest.approx(CHAINS) for row in ENTITIES.numbers(4))


def test_the_share_of_right_chains_is_that_of_good_boxes_and_right_numbers():
    good, bad = ENTITIES.boxes()
    assert good / (good + bad) == pytest.approx(0.95)
    assert [row[place] / CHAINS for place, row in enumerate(ENTITIES.numbers(4))] == pytest.approx([0.95] * 4)


def test_half_of_the_wrong_chains_are_wrong_in_their_phrases():
    assert ENTITIES.phrase_error == pytest.approx(0.025)
