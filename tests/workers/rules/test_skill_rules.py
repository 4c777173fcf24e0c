"""Each number of the rules does what it says."""

import random

import pytest

from workers.rules.skill import Judged, estimate_skills
from workers.rules.skill_rules import SkillRules


def crowd() -> list[Judged]:
    """Six workers who are right on 7 of 10 items, and ann, who answered three items."""
    draw = random.Random(4)
    judgments = [
        Judged(str(worker), item, item % 2 == (draw.random() < 0.7)) for item in range(60) for worker in range(6)
    ]
    return judgments + [Judged("ann", item, item % 2 == 1) for item in range(3)]


def apart(pull: float) -> float:
    """Return how far ann's chance to see the first class lies from another worker's, with these pulls."""
    rules = SkillRules(row_pull=pull, crowd_pull=pull, learned=0, kinds=1)
    workers = estimate_skills(crowd(), (True, False), rules=rules).workers
    return abs(workers["ann"].confusion[0][0] - workers["0"].confusion[0][0])


def test_strong_pulls_make_workers_alike():
    assert apart(5000) < 0.02 < apart(0.01)


def test_a_small_tolerance_takes_more_rounds():
    loose, tight = (estimate_skills(crowd(), (True, False), rules=SkillRules(tolerance=t)) for t in (1e-2, 1e-5))
    assert loose.rounds < tight.rounds


@pytest.mark.parametrize("kinds", [1, 2])
def test_a_number_of_kinds_that_is_given_is_kept(kinds: int):
    assert estimate_skills(crowd(), (True, False), rules=SkillRules(kinds=kinds)).kinds == kinds
