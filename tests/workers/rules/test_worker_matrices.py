"""The matrices of workers, and how strongly they are pulled to the crowd's."""

import numpy as np
import pytest

from workers.rules.skill_rules import SkillRules
from workers.rules.worker_matrices import Pulls, worker_matrices

ALIKE = np.tile([[[80.0, 20.0], [20.0, 80.0]]], (6, 1, 1))
APART = np.array([[[100.0, 99.0], [0.0, 1.0]], [[1.0, 0.0], [99.0, 100.0]]] * 3)
"""Three workers who say the first class to all, three who say the second."""


def test_every_column_adds_up_to_one():
    for counts in (ALIKE, APART, np.zeros((2, 2, 2))):
        made = worker_matrices(counts, 2, SkillRules(), None)
        assert made.by_class.sum(axis=1) == pytest.approx(1.0)
        assert (made.by_state > 0).all()


def test_workers_who_are_alike_are_pulled_together_and_workers_who_differ_stay_apart():
    rules = SkillRules(learned=1.0)
    assert worker_matrices(ALIKE, 2, rules, None).pulls.row > 100
    assert worker_matrices(APART, 2, rules, None).pulls.row < 4


def test_half_learned_is_half_way_in_logarithms():
    alone, given = (worker_matrices(APART, 2, SkillRules(learned=share), None).pulls for share in (1.0, 0.0))
    half = worker_matrices(APART, 2, SkillRules(), None).pulls
    assert given == Pulls(4.0, 16.0)
    assert half.row == pytest.approx((given.row * alone.row) ** 0.5)
    assert half.crowd == pytest.approx((given.crowd * alone.crowd) ** 0.5)


def test_pulls_that_are_given_stay():
    assert worker_matrices(ALIKE, 2, SkillRules(), Pulls(3.0, 5.0)).pulls == Pulls(3.0, 5.0)


def test_a_new_worker_errs_as_the_crowd_errs():
    """The crowd takes the second class for the third, never for the first."""
    known = np.array([[[90.0, 0.0, 0.0], [5.0, 60.0, 5.0], [5.0, 40.0, 95.0]]])
    new = worker_matrices(np.concatenate([known, np.zeros((1, 3, 3))]), 3, SkillRules(), None).by_class[1]
    assert new[2, 1] > 0.25 > 0.05 > new[0, 1]


def test_a_worker_with_many_answers_is_known_by_them():
    counts = np.concatenate([ALIKE, [[[990.0, 10.0], [10.0, 990.0]]]])
    assert worker_matrices(counts, 2, SkillRules(), None).by_class[-1][0, 0] == pytest.approx(0.99, abs=0.01)
