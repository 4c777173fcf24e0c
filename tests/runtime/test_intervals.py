"""Intervals of shares and sums."""

from itertools import pairwise

import pytest

from runtime.intervals import (
    OF_PROGRAMS,
    OF_WORKERS,
    IntervalEstimate,
    chance_of_at_most,
    clopper_pearson,
    normal,
    wilson,
    z,
)


def test_the_levels_have_the_standard_scores_of_every_table():
    assert (z(OF_WORKERS), z(OF_PROGRAMS), z(0.99)) == pytest.approx((1.959964, 1.644854, 2.575829), abs=1e-6)


def test_wilsons_interval_is_that_of_tables_and_everything_without_answers():
    assert wilson(8, 10) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((1, 0.7225, 1.0), abs=1e-4)
    assert (wilson(0, 20).low, wilson(20, 20).high, wilson(0, 0)) == (0, 1, (0.0, 0.0, 1.0))
    assert wilson(8, 10, OF_PROGRAMS).low > wilson(8, 10).low


def test_the_exact_interval_leaves_its_tails_to_chance():
    assert clopper_pearson(24, 30) == pytest.approx((0.8, 0.6143, 0.9229), abs=5e-5)
    assert clopper_pearson(0, 10) == (0.0, 0.0, pytest.approx(1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == (1.0, pytest.approx(0.025**0.1), 1.0)
    assert clopper_pearson(0, 0) == (0.0, 0.0, 1.0)
    found = clopper_pearson(3, 10, OF_PROGRAMS)
    assert chance_of_at_most(3, 10, found.high) == pytest.approx(0.05)
    assert 1 - chance_of_at_most(2, 10, found.low) == pytest.approx(0.05)


def test_the_exact_interval_is_wider_than_wilsons_and_both_narrow_with_answers():
    for right in range(11):
        exact, usual = clopper_pearson(right, 10), wilson(right, 10)
        assert exact.high - exact.low > usual.high - usual.low
    widths = [wilson(0.8 * answers, answers).width for answers in (1, 10, 100, 1000)]
    assert all(later < earlier for earlier, later in pairwise(widths))


def test_a_normal_interval_reaches_as_far_on_both_sides():
    found = normal(10, 2, OF_WORKERS)
    assert (found.high - 10, 10 - found.low) == pytest.approx((3.92, 3.92), abs=1e-3)
    assert found.holds(13.9) and not found.holds(14) and IntervalEstimate(0, -1, 1).width == 0
