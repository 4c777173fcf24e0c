"""The errors of a program that judges, from the answers that were held against people's."""

import pytest

from pipeline.rules.jurors.tally import NONE, held_against_people, mistakes, wrong_among


def test_few_answers_are_pulled_to_the_share_of_all_its_wrong_answers():
    few, many = (mistakes((size * 2, size), (90.0, 10.0), wrong=0.1).passed for size in (1.0, 50.0))
    assert 0.1 < few < many < 1 / 3
    assert mistakes(NONE, NONE, wrong=0.2) == pytest.approx((0.2, 0.2))


def test_no_answer_says_the_opposite_of_what_it_says():
    assert sum(mistakes((5.0, 60.0), (5.0, 60.0), wrong=0.9)) == pytest.approx(1)


def test_all_tallies_count_together():
    assert held_against_people([(3.0, 1.0), (2.0, 2.0)]) == 8
    assert wrong_among([(98.0, 2.0)]) == pytest.approx(2.2 / 102)
