"""The time by which everything is due: leases, waits, payments, links. It is the time of the database's clock.

The clocks of the machines that run the service may disagree, or jump. So each process measures once in 30 seconds how
far the database's clock is from its own monotonic clock, which never jumps. With SQLite both are on one machine.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from runtime.inside_django import driver_cursor, transaction_failed

logger = logging.getLogger(__name__)
RENEW_SECONDS = 30
"""The time for which a measurement of the database's clock is used."""
JUMP_SECONDS = 5
"""A database's clock that moved by more than this between two measurements is logged."""
OFFSET_FILE = "clock_offset"
"""The file in CHAINBOX_DATA that moves the clock, in seconds. It is read only with CLOCK_MAY_MOVE."""


@dataclass(frozen=True, slots=True)
class _Measurement:
    """The database's time in seconds since 1970 at a moment of the monotonic clock."""

    database: float
    monotonic: float

    def at(self, monotonic: float) -> float:
        return self.database + monotonic - self.monotonic


_last: _Measurement | None = None
_measured_at = 0.0
_measuring = threading.Lock()
_moved_here: ContextVar[timedelta] = ContextVar("moved_here", default=timedelta())


def now() -> datetime:
    """Return the time of the database's clock, in UTC.

    Raises DatabaseError if the database's clock was never read and does not answer.
    """
    return _moved(_database_seconds() if connection.vendor == "postgresql" else time.time())


def now_without_asking() -> datetime:
    """Return the time by the last measurement, or by this machine if there is none. Links to pictures need no more."""
    return _moved(_last_seconds())


def now_for_others() -> datetime:
    """Return the same, but never moved: the time that other services take for right."""
    return datetime.fromtimestamp(_last_seconds(), UTC)


def in_statement() -> Now:
    """Return the time as the database reads it when a statement begins, for what must not hang on a measurement."""
    return Now()


def as_moment(value: datetime | str) -> datetime:
    """Read a time as SQLite's driver returns it: as text, or without its time zone."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@contextmanager
def moved(by: timedelta) -> Iterator[None]:
    """Move the clock of this thread until the block ends, for a simulation whose history must lie in the past."""
    token = _moved_here.set(_moved_here.get() + by)
    try:
        yield
    finally:
        _moved_here.reset(token)


def _moved(seconds: float) -> datetime:
    moment = datetime.fromtimestamp(seconds, UTC) + _moved_here.get()
    return moment + _offset() if settings.CLOCK_MAY_MOVE else moment


def _offset() -> timedelta:
    """Read how far the clock is moved. Each link to a picture asks, so the file's name is put together simply."""
    try:
        with open(f"{settings.DATA}/{OFFSET_FILE}", encoding="utf-8") as file:
            return timedelta(seconds=float(file.read()))
    except FileNotFoundError:
        return timedelta()


def _database_seconds() -> float:
    begun = time.monotonic()
    last = _last
    if last is None:
        with _measuring:
            return (_last or _measure()).at(time.monotonic())
    # One thread measures; the others go on with the last measurement meanwhile.
    if begun - _measured_at > RENEW_SECONDS and _measuring.acquire(blocking=False):
        try:
            last = _measure_again(last)
        finally:
            _measuring.release()
    return last.at(time.monotonic())


def _last_seconds() -> float:
    last = _last
    return time.time() if last is None or connection.vendor != "postgresql" else last.at(time.monotonic())


def _measure_again(last: _Measurement) -> _Measurement:
    """Measure anew, or go on with the last measurement if the database cannot be asked now."""
    global _measured_at
    try:
        if transaction_failed():
            return last
        found = _measure()
    except DatabaseError as error:
        _measured_at = time.monotonic()
        logger.warning("The database's clock could not be read, so the last measurement is used: %s", error)
        return last
    if abs(found.database - last.at(found.monotonic)) > JUMP_SECONDS:
        logger.warning("The database's clock moved by %.0f seconds.", found.database - last.at(found.monotonic))
    return found


def _measure() -> _Measurement:
    """Read the database's clock, past Django: this statement belongs to no request."""
    global _last, _measured_at
    with driver_cursor() as cursor:
        before = time.monotonic()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        seconds = float(cursor.fetchone()[0])
        after = time.monotonic()
    _last, _measured_at = _Measurement(seconds, (before + after) / 2), after
    return _last
