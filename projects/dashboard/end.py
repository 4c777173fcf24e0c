"""Time to the end of a project: the work that is left, at the pace of the hours that were really worked."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from runtime.intervals import OF_PROGRAMS, z

FEW_DAYS, UNSURE = 3, 0.4
"""With fewer days of work than this, the pace is taken to be so much off: a relative standard deviation."""
WIDEST = 10
"""The longest time over the shortest of an interval that is still worth showing."""
LEAST_LEFT = 0.1
"""The share of an unfinished image's work that is taken to be left, however much was done on it."""


class About(NamedTuple):
    """A quantity with its relative standard deviation."""

    value: float
    off: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 90 % interval."""
        reach = z(OF_PROGRAMS) * self.off
        return self.value * math.exp(-reach), self.value * math.exp(reach)


def time_to_the_end(pace: Mapping[str, Any], images_left: int, predicted: Sequence[float] | None) -> tuple[str, str]:
    """Return the 90 % interval of the time to the end, or that nobody can tell yet, and what this rests on.

    `pace`: the figures of that name. `predicted`: judgments in all as [value, low, high], if there is a prediction.
    """
    if not images_left:
        return "done", "every image is finished"
    left, a_day = hours_left(pace, images_left, predicted), _hours_a_day(pace)
    if left and a_day:
        days = left.value / a_day.value
        about = f"about {days_or_hours(24 * days)}: {left.value:,.1f} hours of work are left, {a_day.value:,.1f} a day"
        return _interval(24 * days, math.hypot(left.off, a_day.off)), f"{about} were worked in the last 7 days"
    lately = pace["finished_lately"]
    if not lately:
        return "unknown", "no image was finished in the last 7 days"
    # A day at least: nobody works day and night at the pace of a first hour.
    rate = lately / max(pace["finished_in_days"], 1)
    return _interval(24 * images_left / rate, 1 / math.sqrt(lately)), f"at {rate:,.1f} images a day"


def _interval(hours: float, off: float) -> str:
    low, high = About(hours, off).interval
    return from_to(low, high) if high <= WIDEST * low else "not yet known"


def hours_left(pace: Mapping[str, Any], images_left: int, predicted: Sequence[float] | None) -> About | None:
    """Return the hours of work that are left: by the prediction, or else by what finished images took."""
    seconds, finished = pace.get("seconds"), pace.get("finished", 0)
    if not seconds:
        return None
    if predicted and predicted[0] > pace["judgments"]:
        value, low, high = predicted
        left = value - pace["judgments"]
        return About(left * seconds / 3600, min((high - low) / 2 / z(OF_PROGRAMS) / left, 1.0))
    if not finished or not pace.get("on_finished"):
        return None
    whole = pace["on_finished"] / 3600 / finished * images_left
    left = max(whole - pace["on_others"] / 3600, LEAST_LEFT * whole)
    return About(left, min(whole / left / math.sqrt(finished), 1.0))


def _hours_a_day(pace: Mapping[str, Any]) -> About | None:
    """Return the hours worked on a day of the last week, or since its first answer, which counts as a day at least."""
    hours = [number for _, number in pace.get("worked", [])]
    if not any(hours):
        return None
    days = max(pace["worked_in_days"], 1)
    begun = hours[next(place for place, number in enumerate(hours) if number) :]
    if len(begun) < FEW_DAYS:
        return About(sum(hours) / days, UNSURE)
    return About(sum(hours) / days, stdev(begun) / fmean(begun) / math.sqrt(len(begun)))


def from_to(low: float, high: float) -> str:
    """Return an interval of hours in whole days, or in hours if it ends within two days; at least one hour."""
    size, unit = (24, "day") if high >= 48 else (1, "hour")
    least, most = math.floor(max(low, 1) / size), math.ceil(max(high, 1) / size)
    if least == most:
        return f"about {days_or_hours(size * most)}"
    return f"{least:,} to {most:,} {unit}s" if least else f"{days_or_hours(low)} to {days_or_hours(size * most)}"


def days_or_hours(hours: float) -> str:
    """Return a long time in whole days or hours, at least one hour."""
    number, unit = (hours / 24, "day") if hours >= 48 else (max(hours, 1), "hour")
    return f"{number:,.0f} {unit}{'' if round(number) == 1 else 's'}"
