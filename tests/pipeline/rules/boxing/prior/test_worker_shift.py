"""A worker's errors in a box task, beside those of the crowd."""

import pytest

from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.prior.worker_shift import ERROR_OF, box_shift
from pipeline.rules.linking.adaptive.answer_model import LARGEST, PULL
from pipeline.rules.tasks.task import Task
from workers.rules.share import logit

JUDGE = Task.BOX_QUALITY


def test_a_worker_without_answers_or_as_good_as_the_crowd_is_like_all() -> None:
    for task, name in ERROR_OF.items():
        assert box_shift(task, 0.3, 0, DEFAULT) == pytest.approx(0)
        assert box_shift(task, 1 - DEFAULT.error_of(name), 500, DEFAULT) == pytest.approx(0)


def test_the_shift_is_that_of_own_errors_and_of_imagined_ones_as_the_crowd_s() -> None:
    prior = BoxPrior(errors={"quality": 0.1})
    error = (0.5 * 60 + 0.1 * PULL) / (60 + PULL)
    assert box_shift(JUDGE, 0.5, 60, prior) == pytest.approx(logit(error) - logit(0.1))


def test_who_errs_more_has_a_higher_shift_and_more_so_the_more_answers_tell_it() -> None:
    by_accuracy = [box_shift(JUDGE, accuracy, 40, DEFAULT) for accuracy in (1.0, 0.9, 0.7, 0.3)]
    by_answers = [box_shift(JUDGE, 0.5, answers, DEFAULT) for answers in (0, 5, 40, 400)]
    assert by_accuracy == sorted(set(by_accuracy)) and by_accuracy[0] < 0
    assert by_answers == sorted(set(by_answers))


def test_no_shift_is_beyond_the_largest() -> None:
    assert (box_shift(JUDGE, 0.0, 10**6, DEFAULT), box_shift(JUDGE, 1.0, 10**6, DEFAULT)) == (LARGEST, -LARGEST)
