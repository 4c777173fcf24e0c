"""The fit of votes: the same as by plain loops, and as much work for many judgments as for few."""

import random
import sys
from collections.abc import Hashable
from itertools import product
from types import FrameType
from typing import Any

import numpy as np
import pytest

from tests.support.plain_skill import plain_posterior
from workers.rules.fit_votes import Pulls, fit_votes, worker_matrices
from workers.rules.skill import Judged, SkillRules, estimate_skills
from workers.rules.vote_table import vote_table

CLASSES = ("a", "b", "c")


def drawn(items: int, seed: int, workers: int = 5) -> list[Judged]:
    draw = random.Random(seed)
    truth = [draw.choice(CLASSES) for _ in range(items)]
    return [
        Judged(worker, item, truth[item] if draw.random() < 0.5 + worker / 10 else draw.choice(CLASSES))
        for item in range(items)
        for worker in sorted(draw.sample(range(workers), 3))
    ]


def test_it_gives_what_plain_loops_give():
    for seed, kinds, learned in product(range(2), (1, 2), (0.0, 0.5)):
        case = f"seed {seed}, kinds {kinds}, learned {learned}"
        judgments = drawn(6, seed)
        known: dict[Hashable, Hashable] = {0: "b", 3: "a"} if seed else {}
        rules = SkillRules(kinds=kinds, learned=learned, most_rounds=3, tolerance=0)
        expected, score = plain_posterior(judgments, CLASSES, known, rules, kinds, rounds=3)
        found = estimate_skills(judgments, CLASSES, known, rules)
        chances = np.array([found.posterior[item] for item in expected])
        assert chances == pytest.approx(np.array(list(expected.values())), abs=1e-9), case
        assert fit_votes(vote_table(judgments, CLASSES, known), rules).score == pytest.approx(score), case


def calls(items: int) -> int:
    """Count the calls, of Python and of built-in functions, that three rounds over a table make."""
    table = vote_table(drawn(items, 1), CLASSES, {})
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        fit_votes(table, SkillRules(kinds=1, most_rounds=3, tolerance=0))
    finally:
        sys.setprofile(None)
    return counted


def test_it_makes_no_more_calls_for_more_judgments():
    few = calls(20)
    assert 0 < few == calls(200)


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
