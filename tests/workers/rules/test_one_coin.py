import pytest

from workers.rules.one_coin import estimate_one_coin
from workers.rules.share import wilson_interval
from workers.rules.skill import Judged, SkillRules


def boxes() -> list[Judged]:
    """Answers that differ by item: ann and ben draw the right box, cem one of his own; ben leaves the last item out."""
    judgments = [Judged(worker, item, f"{item} right") for item in range(10) for worker in ("ann", "ben")]
    judgments += [Judged("cem", item, f"{item} other") for item in range(10)]
    judgments += [Judged("cem", 10, "10 other"), Judged("ann", 10, "10 right")]
    return judgments


def test_the_worker_who_agrees_with_others_is_believed_against_one_who_does_not():
    estimate = estimate_one_coin(boxes(), choices=20)
    assert estimate.posterior[10]["10 right"] > 0.8 > 0.1 > estimate.posterior[10]["10 other"]
    assert estimate.workers["cem"].high < estimate.workers["ann"].low
    assert estimate.converged


def test_what_is_missing_to_one_is_the_chance_that_nobody_is_right():
    estimate = estimate_one_coin([Judged("ann", 0, "a"), Judged("ben", 0, "b")], choices=20)
    assert 0.0 < 1.0 - sum(estimate.posterior[0].values()) < 1.0


def test_known_truths_are_held_and_may_be_nobodys_answer():
    judgments = [Judged("ann", item, "a") for item in range(10)]
    estimate = estimate_one_coin(judgments, choices=4, known=dict.fromkeys(range(10), "b"))
    assert estimate.posterior[0] == {"a": 0.0}
    assert (estimate.workers["ann"].low, estimate.workers["ann"].high) == wilson_interval(0, 10)


def test_answers_that_nobody_checks_tell_nothing_of_their_worker():
    assert estimate_one_coin([Judged("ann", 0, "a")], choices=4).workers["ann"].checked == 0


def test_no_judgments_give_an_empty_estimate():
    assert estimate_one_coin([], choices=2).posterior == {}


def test_the_rounds_have_a_limit():
    estimate = estimate_one_coin(boxes(), choices=20, rules=SkillRules(most_rounds=1))
    assert (estimate.rounds, estimate.converged) == (1, False)


def test_more_answers_than_choices_are_refused():
    with pytest.raises(ValueError, match="3 different answers, of 2"):
        estimate_one_coin([Judged(answer, 0, answer) for answer in "abc"], choices=2)
