"""Estimates of skill, verdicts on batches, places of verification questions, and texts to workers."""

import json
import math
import random
import sys
from collections.abc import Callable, Hashable
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from itertools import product
from string import Formatter
from types import FrameType
from typing import Any

import numpy as np
import pytest

from runtime.intervals import wilson
from tests.support.plain_skill import plain_posterior
from tests.support.table import case
from workers.rules.fit_votes import Pulls, SkillRules, WorkerAnswer, fit_votes, vote_table, worker_matrices
from workers.rules.fit_votes import WorkerAnswer as VoteTableJudged
from workers.rules.score import BatchRules, Score, ScoreRule, Submitted, judge_batches, logit, sigmoid
from workers.rules.skill import EstimatedSkills, estimate_one_coin, estimate_skills
from workers.rules.texts import WRITTEN, WorkerText, time_in_words, time_written
from workers.rules.work import odds, places

YES_NO = ("yes", "no")
THREE = [WorkerAnswer(answer, 0, answer) for answer in "abc"]


def answers(worker: str, given: str, first: int = 0) -> list[WorkerAnswer]:
    """One letter per item: y or n."""
    return [WorkerAnswer(worker, first + place, "yes" if letter == "y" else "no") for place, letter in enumerate(given)]


def crowd() -> list[WorkerAnswer]:
    """Truth: twelve times yes, twelve times no. Two careful workers, one who always errs, two who say yes to all."""
    careful = answers("ann", "y" * 11 + "n" + "n" * 12) + answers("ben", "y" * 12 + "n" * 11 + "y")
    return careful + answers("contrary", "n" * 12 + "y" * 12) + answers("eve", "y" * 24) + answers("eva", "y" * 24)


TRUTH = ["yes"] * 12 + ["no"] * 12


@cache
def estimate_of_crowd() -> EstimatedSkills:
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
    assert (many.checked, many.low, many.high) == (few.checked, few.low, few.high) == (10, *wilson(10, 10)[1:])


def test_a_worker_whom_nothing_checks_may_be_anyone():
    estimate = estimate_skills([*crowd(), WorkerAnswer("new", "alone", "yes")], YES_NO)
    new = estimate.workers["new"]
    assert (new.checked, new.low, new.high) == (0, 0.0, 1.0)
    assert 0.4 < new.accuracy < 0.8


def test_one_answer_makes_nobody_perfect():
    estimate = estimate_skills([*crowd(), WorkerAnswer("new", 0, "yes")], YES_NO)
    assert all(0.05 < chance < 0.95 for row in estimate.workers["new"].confusion for chance in row)
    assert estimate.workers["new"].low < 0.5 < estimate.workers["new"].high


def test_doubt_about_the_truth_widens_the_interval():
    ann = estimate_skills(answers("ann", "yn" * 8) + answers("ben", "yn" * 6 + "ny" * 2), YES_NO).workers["ann"]
    _, low, high = wilson(ann.accuracy * ann.checked, ann.checked)
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
    judgments = [WorkerAnswer(w, i, t) for w, (i, t) in product("ab", enumerate(truth))]
    judgments += [WorkerAnswer("c", i, "none" if t == "scene" else t) for i, t in enumerate(truth)]
    confusion = estimate_skills(judgments, ("box", "scene", "none")).workers["c"].confusion
    assert confusion[1][2] > 0.7 > 0.1 > confusion[0][2]


@case(
    "an answer that is no class", "'maybe' is none", lambda: estimate_skills([WorkerAnswer("ann", 0, "maybe")], YES_NO)
)
@case("a truth that is none", "'maybe' is none", lambda: estimate_skills(answers("ann", "y"), YES_NO, {0: "maybe"}))
@case("two equal classes of skill", "two classes", lambda: estimate_skills([], ("yes", "yes")))
@case("a single class", "two classes", lambda: vote_table([], ("yes",), {}))
@case("two equal classes", "two classes", lambda: vote_table([], ("yes", "yes"), {}))
@case("no class", "two classes", lambda: vote_table([], (), {}))
@case("more answers than choices", "3 different answers, of 2", lambda: estimate_one_coin(THREE, choices=2))
@case("a rate below no share", "from 0 to 1", lambda: places("s", questions=0, verified=0, size=5, rate=-0.1))
@case("a rate above the whole", "from 0 to 1", lambda: places("s", questions=0, verified=0, size=5, rate=1.1))
def test_what_cannot_be_is_refused(words: str, estimate: Callable[[], object]):
    with pytest.raises(ValueError, match=words):
        estimate()


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
        judgments += [WorkerAnswer(name, item, truth if draw.random() < own else other) for name, own in crew.items()]
    estimate = estimate_skills(judgments, YES_NO)
    answers_of: dict[Hashable, list[Hashable]] = {}
    for judged in judgments:
        answers_of.setdefault(judged.item, []).append(judged.answer)
    right = sum(estimate.best(item) == TRUTH[item % 24] for item in range(300))
    majority = sum(given.count(TRUTH[item % 24]) >= 2 for item, given in enumerate(answers_of.values()))
    assert right >= majority - 6
    assert estimate.workers["eve"].accuracy == pytest.approx(0.6, abs=0.08)


def ann_and_six() -> list[WorkerAnswer]:
    """Six workers who are right on 7 of 10 items, and ann, who answered three items."""
    draw = random.Random(4)
    judgments = [
        WorkerAnswer(str(worker), item, item % 2 == (draw.random() < 0.7)) for item in range(60) for worker in range(6)
    ]
    return judgments + [WorkerAnswer("ann", item, item % 2 == 1) for item in range(3)]


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


CLASSES = ("a", "b", "c")


def drawn(items: int, seed: int, workers: int = 5) -> list[WorkerAnswer]:
    draw = random.Random(seed)
    truth = [draw.choice(CLASSES) for _ in range(items)]
    return [
        WorkerAnswer(worker, item, truth[item] if draw.random() < 0.5 + worker / 10 else draw.choice(CLASSES))
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
    assert 0 < calls(20) == calls(200)


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


def boxes() -> list[WorkerAnswer]:
    """Answers that differ by item: ann and ben draw the right box, cem one of his own; ben leaves the last item out."""
    judgments = [WorkerAnswer(worker, item, f"{item} right") for item in range(10) for worker in ("ann", "ben")]
    judgments += [WorkerAnswer("cem", item, f"{item} other") for item in range(10)]
    judgments += [WorkerAnswer("cem", 10, "10 other"), WorkerAnswer("ann", 10, "10 right")]
    return judgments


def test_the_worker_who_agrees_with_others_is_believed_against_one_who_does_not():
    estimate = estimate_one_coin(boxes(), choices=20)
    assert estimate.posterior[10]["10 right"] > 0.8 > 0.1 > estimate.posterior[10]["10 other"]
    assert estimate.workers["cem"].high < estimate.workers["ann"].low
    assert estimate.converged


def test_what_is_missing_to_one_is_the_chance_that_nobody_is_right():
    estimate = estimate_one_coin([WorkerAnswer("ann", 0, "a"), WorkerAnswer("ben", 0, "b")], choices=20)
    assert 0.0 < 1.0 - sum(estimate.posterior[0].values()) < 1.0


def test_known_truths_are_held_and_may_be_nobodys_answer():
    judgments = [WorkerAnswer("ann", item, "a") for item in range(10)]
    estimate = estimate_one_coin(judgments, choices=4, known=dict.fromkeys(range(10), "b"))
    assert estimate.posterior[0] == {"a": 0.0}
    assert (estimate.workers["ann"].low, estimate.workers["ann"].high) == wilson(0, 10)[1:]


def test_one_coin_learns_nothing_from_answers_that_nobody_checks():
    assert estimate_one_coin([WorkerAnswer("ann", 0, "a")], choices=4).workers["ann"].checked == 0


def test_without_judgments_an_estimate_is_empty():
    assert estimate_one_coin([], choices=2).posterior == estimate_skills([], YES_NO).posterior == {}
    assert (estimate_skills([], YES_NO).workers, vote_table([], YES_NO, {"x": "yes"}).items) == ({}, [])


def test_the_rounds_have_a_limit():
    rules = SkillRules(most_rounds=1)
    for made in (estimate_skills(crowd(), YES_NO, rules=rules), estimate_one_coin(boxes(), choices=20, rules=rules)):
        assert (made.rounds, made.converged) == (1, False)


def test_the_sigmoid_of_a_logit_is_the_share_and_the_logit_of_a_certain_share_finite():
    shares = [0.001, 0.25, 0.5, 0.824]
    assert [sigmoid(logit(share)) for share in shares] == pytest.approx(shares)
    assert logit(0.5) == 0
    assert (logit(0.0), logit(1.0)) == pytest.approx((-20.7, 20.7), abs=0.1)


def test_judgments_stand_by_item_and_names_have_the_numbers_of_their_first_judgment():
    judgments = map(VoteTableJudged, ("eve", "ann", "ann"), "xyx", ("no", "yes", "yes"))
    table = vote_table(judgments, ("yes", "no"), {"y": "no", "nobody's": "yes"})
    assert (table.workers, table.items) == (["eve", "ann"], ["x", "y"])
    assert table.worker.tolist() == [0, 1, 1] and table.answer.tolist() == [1, 0, 0]
    assert table.votes.tolist() == [2, 1] and table.known.tolist() == [-1, 1]
    assert table.starts.tolist() == [0, 2] and table.keys.tolist() == [1, 2, 2]


NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = BatchRules(minimum=0.8)
BARE = BatchRules(minimum=0.8, rule=ScoreRule.BARE)


def given(number: int, right: int, wrong: int, hours_ago: float = 0.0) -> Submitted:
    return Submitted(number, NOW - timedelta(hours=hours_ago), Score(right, right + wrong))


TEN = Score(10, 10)


@case("they wait until there are ten verification questions", [given(n, 2, 1) for n in range(3)], Score(6, 9), [])
@case("ten make one and the rest waits on", [given(n, 2, 0) for n in range(7)], TEN, [((0, 1, 2, 3, 4), True, TEN)])
@case(
    "in the order in which assignments came in",
    [given(1, 10, 0, 1), given(2, 0, 10, 2)],
    Score(10, 20),
    [((2,), False, Score(0, 10)), ((1,), True, TEN)],
)
@case("after a day the overall score decides", [given(1, 0, 2, 24)], Score(80, 100), [((1,), True, Score(80, 100))])
@case("if it is below the minimum, too", [given(1, 0, 2, 24)], Score(60, 100), [((1,), False, Score(60, 100))])
@case(
    "what is younger than a day waits on beside what is older",
    [given(1, 1, 0, 25), given(2, 1, 0, 23)],
    Score(2, 2),
    [((1,), True, Score(2, 2))],
)
@case("no verification question at all counts after a day", [given(1, 0, 0, 30)], Score(), [((1,), True, Score())])
def test_assignments_make_batches(waiting: list[Submitted], overall: Score, made: list[tuple[object, ...]]):
    verdicts = judge_batches(waiting, overall, RULES, NOW)
    assert [(one.assignments, one.accepted, one.score) for one in verdicts] == made


def test_a_batch_below_the_minimum_is_refused():
    for right, rules, accepted in [(5, RULES, True), (4, RULES, False), (8, BARE, True), (7, BARE, False)]:
        (verdict,) = judge_batches([given(1, right, 10 - right)], Score(100, 100), rules, NOW)
        assert verdict.accepted is accepted, f"{right} of 10 by {rules}"
        assert f"{right} of 10 right" in verdict.reason


def numbers(seed: str, rate: float, batch: int, total: int) -> list[int]:
    """The numbers of the verification questions among the first `total`."""
    found: list[int] = []
    for asked in range(0, total, batch):
        found += [asked + place for place in places(seed, questions=asked, verified=len(found), size=batch, rate=rate)]
    return found


def test_the_same_places_are_drawn_however_the_questions_are_batched_and_each_worker_has_places_of_their_own():
    assert numbers("worker 7", 0.2, 5, 200) == numbers("worker 7", 0.2, 10, 200)
    assert numbers("worker 7", 0.2, 10, 100) != numbers("worker 8", 0.2, 10, 100)


def test_on_probation_every_place_is_known_and_without_a_stock_none():
    assert places("s", questions=13, verified=2, size=5, rate=1) == (0, 1, 2, 3, 4)
    assert places("s", questions=13, verified=2, size=5, rate=0) == ()


def test_what_was_missed_leans_the_odds_and_what_was_too_much_leans_them_back():
    assert odds(100, 2, 0.02) == 0.02
    assert (odds(200, 2, 0.02), odds(100, 3, 0.02)) == pytest.approx((0.03, 0.015))


VALUES = {"amount", "hours", "left", "needed", "reason", "right", "size", "task", "time"}


def test_a_text_is_stored_as_its_code_with_its_values():
    stored = WorkerText.TRIES_LEFT.coded(left=2, hours=24)
    assert json.loads(json.dumps(stored)) == {"code": "TRIES_LEFT", "left": 2, "hours": 24}


def test_words_name_each_value_alike():
    for text in WorkerText:
        assert {name for _, name, _, _ in Formatter().parse(text.value) if name is not None} <= VALUES, text


def test_a_time_is_written_in_utc_and_says_so() -> None:
    assert time_in_words(datetime(2026, 1, 2, 3, 4, 59, tzinfo=UTC)) == "2 Jan 2026, 03:04 UTC"
    assert time_in_words(datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))) == "31 Dec 2025, 23:30 UTC"


def test_a_written_time_is_found_in_a_text_and_read() -> None:
    for month in range(1, 13):
        moment = datetime(2026, month, 28, 23, 59, tzinfo=UTC)
        found = WRITTEN.search(f"You can go on from {time_in_words(moment)}.")
        assert found and time_written(found[0]) == moment
    assert not WRITTEN.search("on 31 Foo 2026, 10:00 UTC or 3 Jan 2026")


@pytest.mark.parametrize("batch", [5, 10])
@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_the_rate_is_exact_within_five_percent_over_ten_thousand_questions(rate: float, batch: int):
    found = numbers("worker 7", rate, batch, 10_000)
    assert len(found) == pytest.approx(10_000 * rate, rel=0.05)


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_no_place_is_ever_certain_or_impossible(rate: float):
    every = [odds(asked, verified, rate) for asked in range(0, 5000, 50) for verified in range(0, asked, 7)]
    assert (min(every), max(every)) == (rate / 4, 2 * rate)


def test_every_place_of_the_first_batch_is_drawn_as_often_as_any_other():
    drawn = [place for seed in range(1000) for place in places(str(seed), questions=0, verified=0, size=5, rate=0.2)]
    for place in range(5):
        assert drawn.count(place) == pytest.approx(200, abs=63)  # five standard deviations
