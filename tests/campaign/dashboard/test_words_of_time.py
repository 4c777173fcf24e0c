"""Long times on the dashboard, in words."""

import pytest

from campaign.dashboard.tile import days_or_hours


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.2, "1 hour"), (1.4, "1 hour"), (1.6, "2 hours"), (47, "47 hours"), (48, "2 days"), (24_000, "1,000 days")],
)
def test_a_long_time_is_told_in_whole_hours_or_days(hours: float, words: str) -> None:
    assert days_or_hours(hours) == words
