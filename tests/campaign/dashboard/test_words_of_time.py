"""Long times on the dashboard, in words."""

import pytest

from campaign.dashboard.end import days_or_hours, from_to
from campaign.dashboard.summary import time_in_words


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.2, "1 hour"), (1.4, "1 hour"), (1.6, "2 hours"), (47, "47 hours"), (48, "2 days"), (24_000, "1,000 days")],
)
def test_a_long_time_is_told_in_whole_hours_or_days(hours: float, words: str) -> None:
    assert days_or_hours(hours) == words


def test_saved_time_is_told_in_the_unit_of_its_middle_and_a_loss_with_a_minus() -> None:
    told = [time_in_words(7199), time_in_words(7200), time_in_words(-90), time_in_words(600, like=8000)]
    assert told == ["120.0 minutes", "2.0 hours", "−1.5 minutes", "0.2 hours"]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.2, 0.9, "about 1 hour"),
        (1.2, 30, "1 to 30 hours"),
        (4, 190, "4 hours to 8 days"),
        (30, 190, "1 to 8 days"),
        (95, 96, "3 to 4 days"),
        (96, 96, "about 4 days"),
    ],
)
def test_an_interval_is_told_in_one_unit_or_in_two_where_it_begins_within_a_day(
    low: float, high: float, words: str
) -> None:
    assert from_to(low, high) == words
