"""Doubts about labels of a checked data set, before and after answers."""

from dataclasses import replace

import pytest

from pipeline.rules.checking.doubt import Standing, doubts_of, expected_of, expected_wrong
from tests.pipeline.rules.image.test_checked import CHECK, LEFT, MEN, RIGHT, checking, good_men


def test_without_a_checked_data_set_there_are_no_doubts():
    story = good_men()
    assert doubts_of(story.progress, replace(CHECK, checked=0)) == []


def test_the_doubt_about_a_label_that_nobody_was_asked_about_is_small():
    story = good_men()
    [doubt] = doubts_of(story.progress, CHECK)
    assert doubt.standing is Standing.UNCHANGED
    assert 0 < doubt.chances.doubt < 0.2


def test_links_in_question_have_chances_before_any_answer():
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]])
    assert {one.chain: one.standing for one in doubts_of(story.progress, CHECK)} == {0: Standing.IN_QUESTION}
    [doubt] = doubts_of(story.progress, CHECK)
    assert 0 < doubt.chances.mentions < 1


def test_expected_wrong_labels_are_the_sum_of_the_doubts():
    found = expected_wrong([0.5] * 100)
    assert (found.labels, found.wrong) == (100, 50.0)
    assert (found.low, found.high) == pytest.approx((50 - 8.225, 50 + 8.225))
    assert expected_of(3, 0.1, 0.09).low == 0.0
