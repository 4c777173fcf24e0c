"""The batches that count in the verification model."""

from datetime import UTC, datetime, timedelta

import pytest

from workers.rules.batch_verdict import BatchRules, Submitted, judge_batches
from workers.rules.score import Rule, Score

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = BatchRules(minimum=0.8)
BARE = BatchRules(minimum=0.8, rule=Rule.BARE)


def assignment(number: int, right: int, wrong: int, hours_ago: float = 0.0) -> Submitted:
    return Submitted(number, NOW - timedelta(hours=hours_ago), Score(right, right + wrong))


def test_assignments_wait_until_there_are_ten_verification_questions():
    assert judge_batches([assignment(n, 2, 1) for n in range(3)], Score(6, 9), RULES, NOW) == ()


def test_ten_make_a_batch_and_the_rest_waits_on():
    waiting = [assignment(n, 2, 0) for n in range(7)]
    (verdict,) = judge_batches(waiting, Score(14, 14), RULES, NOW)
    assert (verdict.assignments, verdict.accepted, verdict.score) == ((0, 1, 2, 3, 4), True, Score(10, 10))


def test_batches_are_made_in_the_order_in_which_assignments_came_in():
    waiting = [assignment(1, 10, 0, hours_ago=1), assignment(2, 0, 10, hours_ago=2)]
    assert [one.assignments for one in judge_batches(waiting, Score(10, 20), RULES, NOW)] == [(2,), (1,)]


def test_a_batch_below_the_minimum_is_refused():
    for right, rules, accepted in [(5, RULES, True), (4, RULES, False), (8, BARE, True), (7, BARE, False)]:
        (verdict,) = judge_batches([assignment(1, right, 10 - right)], Score(100, 100), rules, NOW)
        assert verdict.accepted is accepted, f"{right} of 10 by {rules}"
        assert f"{right} of 10 right" in verdict.reason


@pytest.mark.parametrize(("overall", "accepted"), [(Score(80, 100), True), (Score(60, 100), False)])
def test_after_a_day_the_overall_score_decides(overall: Score, *, accepted: bool):
    (verdict,) = judge_batches([assignment(1, 0, 2, hours_ago=24)], overall, RULES, NOW)
    assert (verdict.accepted, verdict.score) == (accepted, overall)


def test_what_is_younger_than_a_day_waits_on_beside_what_is_older():
    waiting = [assignment(1, 1, 0, hours_ago=25), assignment(2, 1, 0, hours_ago=23)]
    (verdict,) = judge_batches(waiting, Score(2, 2), RULES, NOW)
    assert verdict.assignments == (1,)


def test_work_without_a_single_verification_question_counts_after_a_day():
    (verdict,) = judge_batches([assignment(1, 0, 0, hours_ago=30)], Score(), RULES, NOW)
    assert verdict.accepted
