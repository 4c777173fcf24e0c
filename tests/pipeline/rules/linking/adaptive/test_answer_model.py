"""The evidence of a pair's judgments."""

import math
from itertools import pairwise

import pytest

from pipeline.rules.linking.adaptive.answer_model import (
    LARGEST,
    OF_PAPER,
    CrowdErrors,
    Heard,
    weigh,
    worker_shift,
)

YES, NO = Heard(True), Heard(False)


def test_nothing_heard_says_nothing_and_the_crowd_errs_as_it_does() -> None:
    silent = weigh(())
    assert silent.ratio == pytest.approx(0.0)
    assert silent.yes_if_same == pytest.approx(1 - OF_PAPER.false_negative, abs=1e-6)
    assert silent.yes_if_different == pytest.approx(OF_PAPER.false_positive, abs=1e-6)


def test_one_answer_counts_by_how_often_such_answers_are_wrong() -> None:
    assert weigh((YES,)).ratio == pytest.approx(
        math.log((1 - OF_PAPER.false_negative) / OF_PAPER.false_positive), abs=1e-6
    )
    assert weigh((NO,)).ratio == pytest.approx(
        math.log(OF_PAPER.false_negative / (1 - OF_PAPER.false_positive)), abs=1e-6
    )


def test_every_repeat_says_something_more_but_less_than_the_first() -> None:
    ratios = [weigh((YES,) * times).ratio for times in range(5)]
    gains = [after - before for before, after in pairwise(ratios)]
    assert all(gain > 0 for gain in gains)
    assert gains == sorted(gains, reverse=True)


def test_the_order_of_the_answers_says_nothing() -> None:
    assert weigh((YES, NO, NO)).ratio == pytest.approx(weigh((NO, NO, YES)).ratio)


def test_a_pair_that_divides_people_is_hard_and_the_next_answer_is_expected_to_be_wrong_more_often() -> None:
    assert weigh((YES, NO)).yes_if_different > 2 * OF_PAPER.false_positive
    assert weigh((NO, NO, NO)).yes_if_different < OF_PAPER.false_positive


def test_a_careful_worker_says_more_than_a_careless_one() -> None:
    careful, careless = worker_shift(0.99, 200), worker_shift(0.75, 200)
    assert weigh((Heard(True, careful),)).ratio > weigh((YES,)).ratio > weigh((Heard(True, careless),)).ratio > 0


@pytest.mark.parametrize("answers", [0, -1])
def test_who_is_not_known_is_taken_for_an_average_worker(answers: int) -> None:
    assert worker_shift(0.2, answers) == 0.0


def test_what_is_known_of_few_answers_counts_little() -> None:
    few, many = worker_shift(0.6, 5), worker_shift(0.6, 500)
    assert 0 < few < many <= LARGEST
    assert worker_shift(0.0, 10_000) == LARGEST


def test_an_answer_of_a_crowd_that_errs_more_says_less() -> None:
    twice = CrowdErrors(0.094, 0.12)
    assert weigh((YES,), twice).ratio == pytest.approx(math.log(0.906 / 0.12), abs=1e-6)
    assert weigh((NO,), twice).ratio == pytest.approx(math.log(0.094 / 0.88), abs=1e-6)
    assert weigh((), twice).yes_if_different == pytest.approx(0.12, abs=1e-6)
    assert 0 < weigh((YES, YES), twice).ratio < weigh((YES, YES)).ratio


def test_a_worker_is_compared_with_the_crowd_of_the_project() -> None:
    careless_crowd = CrowdErrors(0.1, 0.2)
    assert worker_shift(0.85, 100, careless_crowd) == pytest.approx(0.0, abs=1e-9)
    assert worker_shift(0.85, 100) > 0 > worker_shift(0.95, 100, careless_crowd)
