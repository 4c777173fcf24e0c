"""The errors of a program that judges, from the answers that were held against people's."""

import math

import pytest

from pipeline.rules.jurors.tally import GUESSES, NONE, Mistakes, held_against_people, mistakes, wrong_among


def test_few_answers_are_pulled_to_the_share_of_all_its_wrong_answers():
    few, many = (mistakes((size * 2, size), (90.0, 10.0), wrong=0.1).passed for size in (1.0, 50.0))
    assert 0.1 < few < many < 1 / 3
    assert mistakes(NONE, NONE, wrong=0.2) == pytest.approx((0.2, 0.2))


def test_no_answer_says_the_opposite_of_what_it_says():
    assert sum(mistakes((5.0, 60.0), (5.0, 60.0), wrong=0.9)) == pytest.approx(1)


def test_all_tallies_count_together():
    assert held_against_people([(3.0, 1.0), (2.0, 2.0)]) == 8
    assert wrong_among([(98.0, 2.0)]) == pytest.approx(2.2 / 102)


def test_a_lighter_juror_says_this_share_of_what_it_says():
    full, half = Mistakes(0.1, 0.02), Mistakes(0.1, 0.02).at(0.5)
    assert math.log((1 - half.alarm) / half.passed) == pytest.approx(math.log((1 - full.alarm) / full.passed) / 2)
    assert math.log((1 - half.passed) / half.alarm) == pytest.approx(math.log((1 - full.passed) / full.alarm) / 2)


def test_a_juror_of_no_weight_guesses_and_one_of_all_weight_stays_as_it_is():
    assert Mistakes(0.1, 0.02).at(0) == GUESSES and Mistakes(0.1, 0.02).at(1) == Mistakes(0.1, 0.02)
    assert Mistakes(0.6, 0.4).at(0.5) == Mistakes(0.6, 0.4)
