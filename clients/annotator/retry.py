"""Tries calls again that failed for a passing reason."""

import random
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from clients.annotator.errors import CallStopped

Result = TypeVar("Result")
TRIES, FIRST_TRIES = 8, 3
"""Tries of a call; before the server has answered once, fewer: its address may be wrong."""
FIRST_SECONDS, LONGEST_SECONDS = 0.5, 60.0
LONGEST_ASKED = 600.0
"""The longest wait that a server may ask for, in seconds."""


def retried(
    call: Callable[[], Result],
    wait_for: Callable[[Exception], float | None],
    *,
    sleep: Callable[[float], object] = time.sleep,
    tries: int = TRIES,
) -> Result:
    """Call until it succeeds, and raise the last error.

    `wait_for`: tells of an error for how many seconds the server wants to be left alone: 0.0 if it does not say, None
    if trying again is of no use. `sleep`: waits for so many seconds, or returns true before if the run ends, as the
    `wait` of an Event does; then Stopped is raised.
    """
    for number in range(1, tries + 1):
        try:
            return call()
        except Exception as error:
            asked = wait_for(error)
            if asked is None or number == tries:
                raise
            if sleep(max(min(asked, LONGEST_ASKED), _backoff(number))):
                raise CallStopped(f"A call was not tried again, because the run ends: {error}") from error
    raise AssertionError("the last try returns or raises")


def seconds_in(retry_after: str | None) -> float:
    """Return the seconds of a Retry-After header: a number or a date; 0.0 if there is none or it cannot be read."""
    if not retry_after:
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError, IndexError, OverflowError, OSError):  # the library reads dates of any shape
        return 0.0


def _backoff(number: int) -> float:
    """Return a wait in seconds that doubles from try to try; its second half is drawn, so that callers spread."""
    longest = min(FIRST_SECONDS * 2.0 ** (number - 1), LONGEST_SECONDS)
    return longest * (0.5 + random.random() / 2)
