"""The time to the end: one figure, from hours really worked, with an interval."""

from typing import Any

import pytest

from campaign.dashboard.end import time_to_the_end

WEEK = [[f"2026-11-{day}", 0.0] for day in range(10, 14)]


def worked(*hours: float, judgments: int = 100, **values: Any) -> dict[str, Any]:
    """Return figures of pace in which so many hours were worked on each of the last days, 36 seconds an answer."""
    days = [*WEEK, *([f"2026-11-{20 + place}", each] for place, each in enumerate(hours))]
    made = {"worked": days, "worked_in_days": len(hours), "seconds": 36.0, "judgments": judgments, "finished": 0}
    return {**made, "finished_lately": 0, "finished_in_days": 0, **values}


def test_a_finished_project_is_done() -> None:
    assert time_to_the_end(worked(), 0, None) == ("done", "every image is finished")


def test_the_end_follows_from_the_answers_predicted_and_the_hours_worked_a_day() -> None:
    said, about = time_to_the_end(worked(2, 2, 2, 2), 9, [1100, 1100, 1100])
    assert (said, about.split(":")[0]) == ("about 5 days", "about 5 days")
    assert "10.0 hours of work are left, 2.0 a day were worked" in about
    # The first hour of a project says little about the days to come: it counts as one day.
    assert time_to_the_end(worked(2, worked_in_days=0.05), 9, [1100, 1100, 1100])[0] == "2 to 10 days"


def test_the_interval_grows_with_a_pace_that_differs_and_with_an_unsure_prediction() -> None:
    assert time_to_the_end(worked(1, 3, 1, 3), 9, [1100, 1100, 1100])[0] == "3 to 9 days"
    assert time_to_the_end(worked(2, 2, 2, 2), 9, [1100, 900, 1300])[0] == "4 to 7 days"


def test_without_a_prediction_the_end_follows_from_what_finished_images_took() -> None:
    # An hour for ten images: six minutes each. Half an hour of what thirty more take is done already.
    pace = worked(1, 1, 1, finished=10, on_finished=3600, on_others=1800)
    said, about = time_to_the_end(pace, 30, None)
    assert said == "1 to 5 days" and "2.5 hours of work are left" in about
    # However much was done on images that are not finished, something is left of each.
    assert "0.3 hours of work are left" in time_to_the_end({**pace, "on_others": 36_000}, 30, None)[1]


@pytest.mark.parametrize("seconds", [None, 0])
def test_answers_without_times_are_counted_by_images_a_day(seconds: float | None) -> None:
    pace = worked(seconds=seconds, finished=100, finished_lately=100, finished_in_days=0.5)
    assert time_to_the_end(pace, 500, None) == ("4 to 6 days", "at 100.0 images a day")
    assert time_to_the_end(worked(seconds=seconds), 5, None)[0] == "unknown"
