"""Tile: one figure of the dashboard, with what it means."""

import math
from typing import NamedTuple


class Tile(NamedTuple):
    """One figure."""

    name: str
    label: str
    value: str
    about: str = ""


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
