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
from workers.rules.fit_votes import fit_votes
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
        judgments = drawn(8, seed)
        known: dict[Hashable, Hashable] = {0: "b", 3: "a"} if seed else {}
        rules = SkillRules(kinds=kinds, learned=learned, most_rounds=4, tolerance=0)
        expected, score = plain_posterior(judgments, CLASSES, known, rules, kinds, rounds=4)
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
