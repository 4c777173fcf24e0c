"""Times in words [beyond paper 3.2]: one form in all that is written to a worker; pages show it in local time."""

import re
from datetime import UTC, datetime

WRITTEN = re.compile(r"\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}, \d{2}:\d{2} UTC\b")
"""Finds times that `time_in_words` wrote in a text. `frontend/src/local_time.ts` looks for the same."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def time_in_words(moment: datetime) -> str:
    """Return the time as in "2 Jan 2026, 03:04 UTC"."""
    at = moment.astimezone(UTC)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


def time_written(words: str) -> datetime:
    """Return the time that `time_in_words` wrote."""
    day, month, year, clock, _ = words.replace(",", "").split()
    hour, minute = map(int, clock.split(":"))
    return datetime(int(year), MONTHS.index(month) + 1, int(day), hour, minute, tzinfo=UTC)
