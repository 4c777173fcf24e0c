"""Tile: one figure of the dashboard, with what it means."""

from typing import NamedTuple


class Tile(NamedTuple):
    """One figure."""

    name: str
    label: str
    value: str
    about: str = ""


def days_or_hours(hours: float) -> str:
    """Return a long time in whole days or hours, at least one hour."""
    number, unit = (hours / 24, "day") if hours >= 48 else (max(hours, 1), "hour")
    return f"{number:,.0f} {unit}{'' if round(number) == 1 else 's'}"
