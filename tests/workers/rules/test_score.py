"""Numbers of right answers that are too few."""

from itertools import product
from math import comb

import pytest

from workers.rules.score import Rule, Score, Scores, below

MINIMA = (0.70, 0.78, 0.80, 0.83)


def chance_of_at_most(right: int, total: int, share: float) -> float:
    return sum(comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(right + 1))


def test_the_interval_is_the_one_of_the_tables():
    low, high = Score(24, 30).interval
    assert (round(low, 4), round(high, 4)) == (0.6143, 0.9229)


def test_the_interval_reaches_the_ends_where_all_or_none_is_right():
    assert Score(10, 10).interval == (pytest.approx(0.025**0.1), 1.0)
    assert Score(0, 10).interval == (0.0, pytest.approx(1 - 0.025**0.1))
    assert Score().interval == (0.0, 1.0)


def test_the_interval_rule_condemns_whom_chance_explains_in_less_than_one_of_forty_cases():
    scores = [Score(right, total) for total in (1, 10, 31) for right in range(total + 1)]
    for minimum, score in product(MINIMA, scores):
        expected = chance_of_at_most(score.right, score.total, minimum) < 0.025
        assert below(score, minimum) is expected, f"{score} of at least {minimum}"
        assert (score.interval[1] < minimum) is expected, f"{score} of at least {minimum}"


def test_the_most_that_is_too_little_of_thirty():
    too_little = {m: max(right for right in range(31) if below(Score(right, 30), m)) for m in MINIMA}
    assert too_little == {0.70: 15, 0.78: 18, 0.80: 18, 0.83: 20}


def test_the_bare_comparison_holds_at_the_minimum_itself_despite_rounding():
    assert not below(Score(24, 30), 0.8, Rule.BARE)
    assert below(Score(23, 30), 0.8, Rule.BARE)
    assert not any(below(Score(n, 100), n / 100, Rule.BARE) for n in range(1, 100))


def test_nobody_is_below_before_the_first_answer():
    assert [rule for rule in Rule if below(Score(), 0.99, rule)] == []
    assert Score().share is None


def test_thousands_of_answers_are_no_trouble():
    assert below(Score(7_900, 10_000), 0.8)
    assert not below(Score(7_980, 10_000), 0.8)
    assert not below(Score(9_999, 10_000), 0.8)


def test_the_recent_score_is_that_of_the_last_thirty():
    outcomes = [False] * 20 + [True] * 25 + [False] * 5
    assert Scores.of(outcomes) == Scores(overall=Score(25, 50), recent=Score(25, 30))
    assert Scores.of([True, False]).recent == Score(1, 2)


def test_an_impossible_score_is_refused():
    with pytest.raises(ValueError, match="-1 right of 3"):
        Score(-1, 3)
    with pytest.raises(ValueError, match="4 right of 3"):
        Score(4, 3)


def test_a_score_says_itself_in_words():
    assert str(Score(24, 30)) == "24 of 30 right (80.0%; 95 % interval 61.4% to 92.3%)"
