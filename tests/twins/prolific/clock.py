"""A clock that a test can move."""

from datetime import UTC, datetime, timedelta


class Clock:
    """Real time, and as much more as was added."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, *, minutes: float) -> None:
        self._ahead += timedelta(minutes=minutes)


def written(moment: datetime | None) -> str | None:
    """A moment as the API writes it."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
