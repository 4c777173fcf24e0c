"""Skill is estimated for each worker from the answers of all."""

import math
import random
from collections.abc import Hashable
from functools import cache
from itertools import product

import pytest

from workers.rules.share import wilson_interval
from workers.rules.skill import Judged, SkillEstimate, SkillRules, estimate_skills

YES_NO = ("yes", "no")


def answers(worker: str, given: str, first: int = 0) -> list[Judged]:
    """One letter per item: y or n."""
    return [Judged(worker, first + place, "yes" if letter == "y" else "no") for place, letter in enumerate(given)]


def crowd() -> list[Judged]:
    """Truth: twelve times yes, twelve times no. Two careful workers, one who always errs, two who say yes to all."""
    careful = answers("ann", "y" * 11 + "n" + "n" * 12) + answers("ben", "y" * 12 + "n" * 11 + "y")
    return careful + answers("contrary", "n" * 12 + "y" * 12) + answers("eve", "y" * 24) + answers("eva", "y" * 24)


TRUTH = ["yes"] * 12 + ["no"] * 12


@cache
def estimate_of_crowd() -> SkillEstimate:
    return estimate_skills(crowd(), YES_NO)


def test_the_skilled_outvote_the_many():
    estimate = estimate_of_crowd()
    assert [estimate.best(item) for item in range(24)] == TRUTH
    assert estimate.converged


def test_a_worker_who_always_errs_is_told_from_one_who_always_says_yes():
    workers = estimate_of_crowd().workers
    assert workers["contrary"].confusion[0][1] > 0.8 and workers["contrary"].confusion[1][0] > 0.8
    assert workers["eve"].confusion[0][0] > 0.9 and workers["eve"].confusion[1][0] > 0.8
    assert workers["contrary"].high < workers["eve"].accuracy < workers["ann"].low


def test_chances_and_rows_add_up_to_one():
    estimate = estimate_skills(crowd(), YES_NO, rules=SkillRules(kinds=2))
    matrices = [row for worker in estimate.workers.values() for row in worker.confusion]
    for chances in (*estimate.posterior.values(), *matrices, estimate.shares):
        assert math.isclose(sum(chances), 1.0)


def test_the_order_of_judgments_does_not_matter():
    there, back = estimate_of_crowd(), estimate_skills(crowd()[::-1], YES_NO)
    for item, chances in there.posterior.items():
        assert back.posterior[item] == pytest.approx(chances)


def test_a_known_truth_holds_whatever_is_answered():
    estimate = estimate_skills(answers("ann", "yyyy") + answers("ben", "yyyy"), YES_NO, known={0: "no", 9: "yes"})
    assert estimate.posterior[0] == (0.0, 1.0)
    assert 9 not in estimate.posterior


def test_known_truths_decide_who_is_believed():
    known: dict[Hashable, Hashable] = dict(enumerate(["yes", "no"] * 6))
    judgments = answers("right", "yn" * 6 + "y" * 4) + answers("wrong", "nn" * 6 + "n" * 4) + answers("off", "ny" * 6)
    for kinds in (1, 2):
        estimate = estimate_skills(judgments, YES_NO, known, SkillRules(kinds=kinds))
        assert [estimate.best(item) for item in range(12, 16)] == ["yes"] * 4, f"{kinds} kinds"


def test_answers_that_nobody_checks_tell_nothing_of_their_worker():
    few = estimate_skills(answers("ann", "y" * 10), YES_NO, known=dict.fromkeys(range(10), "yes")).workers["ann"]
    many = estimate_skills(answers("ann", "y" * 90), YES_NO, known=dict.fromkeys(range(10), "yes")).workers["ann"]
    assert (many.checked, many.low, many.high) == (few.checked, few.low, few.high) == (10, *wilson_interval(10, 10))


def test_a_worker_whom_nothing_checks_may_be_anyone():
    estimate = estimate_skills([*crowd(), Judged("new", "alone", "yes")], YES_NO)
    new = estimate.workers["new"]
    assert (new.checked, new.low, new.high) == (0, 0.0, 1.0)
    assert 0.4 < new.accuracy < 0.8


def test_one_answer_makes_nobody_perfect():
    estimate = estimate_skills([*crowd(), Judged("new", 0, "yes")], YES_NO)
    assert all(0.05 < chance < 0.95 for row in estimate.workers["new"].confusion for chance in row)
    assert estimate.workers["new"].low < 0.5 < estimate.workers["new"].high


def test_doubt_about_the_truth_widens_the_interval():
    ann = estimate_skills(answers("ann", "yn" * 8) + answers("ben", "yn" * 6 + "ny" * 2), YES_NO).workers["ann"]
    low, high = wilson_interval(ann.accuracy * ann.checked, ann.checked)
    assert ann.high - ann.low > high - low + 0.05


def test_items_that_the_same_workers_fall_for_are_a_kind_of_their_own():
    """Forty items are clear; on twenty more, all of them "no", two workers say yes to the same ten."""
    clear, contested = "yn" * 20, "n" * 20
    judgments = [judged for worker in "cde" for judged in answers(worker, clear + contested)]
    judgments += [judged for worker in "ab" for judged in answers(worker, clear + "yn" * 10)]
    estimate = estimate_skills(judgments, YES_NO)
    assert estimate.kinds == 2
    assert {estimate.best(item) for item in range(40, 60)} == {"no"}


def test_workers_who_err_apart_leave_one_kind_of_items():
    truth = "yn" * 30
    slips = [truth[:place] + ("n" if truth[place] == "y" else "y") + truth[place + 1 :] for place in range(0, 60, 12)]
    judgments = [judged for worker, given in enumerate(slips) for judged in answers(str(worker), given)]
    assert estimate_skills(judgments, YES_NO).kinds == 1


def test_three_classes_keep_their_own_errors():
    truth = ["box", "scene", "none"] * 8
    judgments = [Judged(w, i, t) for w, (i, t) in product("ab", enumerate(truth))]
    judgments += [Judged("c", i, "none" if t == "scene" else t) for i, t in enumerate(truth)]
    confusion = estimate_skills(judgments, ("box", "scene", "none")).workers["c"].confusion
    assert confusion[1][2] > 0.7 > 0.1 > confusion[0][2]


def test_no_judgments_give_an_empty_estimate():
    estimate = estimate_skills([], YES_NO)
    assert (estimate.posterior, estimate.workers) == ({}, {})


def test_what_is_no_class_is_refused():
    with pytest.raises(ValueError, match="'maybe' is none"):
        estimate_skills([Judged("ann", 0, "maybe")], YES_NO)
    with pytest.raises(ValueError, match="'maybe' is none"):
        estimate_skills([Judged("ann", 0, "yes")], YES_NO, known={0: "maybe"})
    with pytest.raises(ValueError, match="two classes"):
        estimate_skills([], ("yes", "yes"))


@pytest.mark.parametrize("seed", range(3))
def test_one_worker_who_gives_a_third_of_all_answers_does_not_decide_alone(seed: int):
    """Eve answers everything, right on 6 of 10 items; forty others answer a few each, right on 8 of 10.

    Without priors that learn how alike the others are, 14 to 18 items less than the majority's come out right.
    """
    draw = random.Random(seed)
    judgments = []
    for item in range(300):
        crew = {"eve": 0.6} | {f"other {place}": 0.8 for place in draw.sample(range(40), 2)}
        truth, other = (TRUTH[item % 24], TRUTH[(item + 12) % 24])
        judgments += [Judged(name, item, truth if draw.random() < own else other) for name, own in crew.items()]
    estimate = estimate_skills(judgments, YES_NO)
    answers_of: dict[Hashable, list[Hashable]] = {}
    for judged in judgments:
        answers_of.setdefault(judged.item, []).append(judged.answer)
    right = sum(estimate.best(item) == TRUTH[item % 24] for item in range(300))
    majority = sum(given.count(TRUTH[item % 24]) >= 2 for item, given in enumerate(answers_of.values()))
    assert right >= majority - 6
    assert estimate.workers["eve"].accuracy == pytest.approx(0.6, abs=0.08)


def test_the_rounds_have_a_limit():
    estimate = estimate_skills(crowd(), YES_NO, rules=SkillRules(most_rounds=1))
    assert (estimate.rounds, estimate.converged) == (1, False)


def ann_and_six() -> list[Judged]:
    """Six workers who are right on 7 of 10 items, and ann, who answered three items."""
    draw = random.Random(4)
    judgments = [
        Judged(str(worker), item, item % 2 == (draw.random() < 0.7)) for item in range(60) for worker in range(6)
    ]
    return judgments + [Judged("ann", item, item % 2 == 1) for item in range(3)]


def apart(pull: float) -> float:
    """Return how far ann's chance to see the first class lies from another worker's, with these pulls."""
    rules = SkillRules(row_pull=pull, crowd_pull=pull, learned=0, kinds=1)
    workers = estimate_skills(ann_and_six(), (True, False), rules=rules).workers
    return abs(workers["ann"].confusion[0][0] - workers["0"].confusion[0][0])


def test_strong_pulls_make_workers_alike():
    assert apart(5000) < 0.02 < apart(0.01)


def test_a_small_tolerance_takes_more_rounds():
    loose, tight = (estimate_skills(ann_and_six(), (True, False), rules=SkillRules(tolerance=t)) for t in (1e-2, 1e-5))
    assert loose.rounds < tight.rounds


@pytest.mark.parametrize("kinds", [1, 2])
def test_a_number_of_kinds_that_is_given_is_kept(kinds: int):
    assert estimate_skills(ann_and_six(), (True, False), rules=SkillRules(kinds=kinds)).kinds == kinds
