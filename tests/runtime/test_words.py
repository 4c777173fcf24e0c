"""Intervals of shares and sums.
Numbers read the same everywhere: shares, chances, counts, money, intervals and times.
"""

from itertools import pairwise

import pytest
from django.template import Context, Template
from django.utils.translation import override

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
from runtime.words import counted, hours, interval, money, number, percent


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


@pytest.mark.parametrize(
    ("share", "whole", "tenths", "chance"),
    [
        (None, "–", "–", "–"),
        (0.0, "0 %", "0.0 %", "below 1 %"),
        (0.0004, "below 1 %", "below 0.1 %", "below 1 %"),
        (0.004, "below 1 %", "0.4 %", "below 1 %"),
        (0.0099, "below 1 %", "1.0 %", "below 1 %"),
        (0.01, "1 %", "1.0 %", "1 %"),
        (0.1234, "12 %", "12.3 %", "12 %"),
        (0.99, "99 %", "99.0 %", "99 %"),
        (0.996, "over 99 %", "99.6 %", "over 99 %"),
        (0.9996, "over 99 %", "over 99.9 %", "over 99 %"),
        (1.0, "100 %", "100.0 %", "over 99 %"),
        (1, "100 %", "100.0 %", "over 99 %"),
    ],
)
def test_some_is_never_written_as_none_nor_most_as_all_and_no_chance_as_certain(
    share: float | None, whole: str, tenths: str, chance: str
) -> None:
    assert (percent(share), percent(share, 1), percent(share, chance=True)) == (whole, tenths, chance)


@pytest.mark.parametrize(
    ("low", "high", "digits", "text"),
    [(0.0, 0.004, 0, "0 to 0 %"), (0.614, 0.9229, 0, "61 to 92 %"), (0, 1, 1, "0.0 to 100.0 %")],
)
def test_an_interval_has_one_sign(low: float, high: float, digits: int, text: str) -> None:
    assert interval(low, high, digits) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, None, "–"),
        (1234, None, "1,234"),
        (1234, 2, "1,234"),
        (5.0, None, "5"),
        (99.94, None, "99.9"),
        (12345.6, None, "12,346"),
        (2.5, 2, "2.50"),
    ],
)
def test_a_number_has_commas_and_as_many_decimals_as_tell_something(
    value: float | None, digits: int | None, text: str
) -> None:
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [(0, ("image",), "0 images"), (1, ("image",), "1 image"), (2000, ("box", "boxes"), "2,000 boxes")],
)
def test_a_count_has_its_noun(count: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(count, *nouns) == text


@pytest.mark.parametrize(
    ("seconds", "like", "text"),
    [
        (40, None, "40 s"),
        (-90, None, "−90 s"),
        (720, None, "12 min"),
        (5399, None, "90 min"),
        (7200, None, "2.0 h"),
        (600, 8000, "0.2 h"),
        (36_000_000, None, "10,000.0 h"),
    ],
)
def test_a_time_is_in_the_unit_of_its_size_or_of_its_interval_s_middle(
    seconds: float, like: float | None, text: str
) -> None:
    assert hours(seconds, like=like) == text


def test_every_template_has_these_words_as_filters() -> None:
    values = {"share": 0.004, "estimate": IntervalEstimate(0.8, 0.614, 0.9229), "listed": [0.8, 0.614, 0.9229]}
    text = "{{ share|percent }}, {{ share|percent:1 }}, {{ estimate|interval }}, {{ listed|interval:1 }}"
    assert Template(text).render(Context(values)) == "below 1 %, 0.4 %, 61 to 92 %, 61.4 to 92.3 %"
    more = '{{ 12345.6|number }}, {{ 720|hours }}, {{ 123450|money:"USD" }}'
    assert Template(more).render(Context()) == f"12,346, 12 min, {money(123450, 'USD')}"
    with override("de"):
        assert Template('{{ 123450|money:"USD" }}').render(Context()) == "1.234,50\N{NO-BREAK SPACE}$"
