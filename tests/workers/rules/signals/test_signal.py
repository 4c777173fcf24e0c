"""The signals of a project that are shown."""

import math
from itertools import product
from math import comb

import pytest

from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, confirmed, dispersion, spread, together


def signal(worker: int, chance: float) -> Signal:
    return Signal(SignalKind.FAR_TOO_FAST, (worker,), chance, "words", ())


def test_a_signal_is_shown_if_it_is_rare_among_all_that_were_looked_at():
    assert confirmed([signal(1, 0.0002), None], tests=40, false_share=0.01) == [signal(1, 0.0002)]
    assert confirmed([signal(1, 0.0002), None], tests=60, false_share=0.01) == []


def test_many_signals_support_each_other_and_the_strongest_comes_first():
    weak, strong = signal(1, 0.0009), signal(2, 0.0001)
    assert confirmed([weak, strong], tests=20, false_share=0.01) == [strong, weak]
    assert confirmed([weak], tests=20, false_share=0.01) == []


def test_a_number_of_tests_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="2 signals from 1 tests"):
        confirmed([signal(1, 0.1), signal(2, 0.1)], tests=1)


def binomial_tail(successes: int, trials: int, share: float) -> float:
    return sum(comb(trials, n) * share**n * (1 - share) ** (trials - n) for n in range(successes, trials + 1))


def test_the_bound_is_never_below_the_binomial_tail():
    for share, successes in product((0.05, 0.3, 0.8), range(31)):
        bound, tail = at_least(successes, 30, share), binomial_tail(successes, 30, share)
        assert bound >= tail - 1e-12, f"{successes} of 30 at {share}"


def test_the_bound_is_exact_where_every_trial_succeeds():
    assert at_least(10, 10, 0.4) == pytest.approx(0.4**10)


def test_no_more_than_expected_is_no_evidence():
    assert at_least(3, 10, 0.3) == at_least(0, 0, 0.3) == 1


def test_the_best_of_several_chances_is_paid_for():
    assert best_of([0.01, 0.5, 0.9]) == pytest.approx(0.03)
    assert best_of([0.9, 0.8]) == 1


def test_chances_taken_together_follow_fishers_distribution():
    product = 0.01 * 0.2
    assert together([0.01, 0.2]) == pytest.approx(product * (1 - math.log(product)))
    assert together([0.07]) == pytest.approx(0.07)
    assert together([1.0, 1.0, 1.0]) == 1


def test_chances_too_small_for_a_number_stay_above_zero():
    assert 0 < together([0.0, 0.0, 0.0]) < 1e-100


def test_a_spread_is_not_spoilt_by_a_few_wild_values():
    tame = [n / 100 for n in range(-100, 101)]
    assert spread([*tame, 1e6, 1e6, 1e6]) == pytest.approx(spread(tame), rel=0.05)


def test_counts_that_differ_more_than_chance_says_are_overdispersed():
    assert dispersion([0.455 * 4] * 11, least=10, otherwise=3) == pytest.approx(4)
    assert dispersion([0.0] * 11, least=10, otherwise=3) == 1
    assert dispersion([0.0] * 9, least=10, otherwise=3) == 3
