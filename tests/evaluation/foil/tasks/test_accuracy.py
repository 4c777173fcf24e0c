"""Accuracy: overall is the mean of the two classes."""

import pytest

from evaluation.foil.paper import TASK_1
from evaluation.foil.tasks.accuracy import percent, task_1


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
