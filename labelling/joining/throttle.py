"""Limit how often a visitor can try passwords or create accounts. Tries are counted in the cache."""

from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.http import HttpResponse
from django.utils.translation import ngettext

from runtime import clock

WINDOW = 15 * 60
"""Seconds from the first try until all tries are forgotten."""


class TooManyTriesError(Exception):
    """Too many tries; the message says how long to wait."""

    def __init__(self, seconds: float) -> None:
        minutes = max(1, round(seconds / 60))
        words = ngettext(
            "Too many tries. Wait %(n)s minute, then try again.",
            "Too many tries. Wait %(n)s minutes, then try again.",
            minutes,
        )
        super().__init__(words % {"n": minutes})


class Answers429:
    """Mixed into a view with a form: answers 429 where `count_try` refused the form."""

    def form_invalid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        errors = [error for of_field in form.errors.as_data().values() for error in of_field]
        answer.status_code = 429 if any(error.code == "throttled" for error in errors) else 200
        return answer


def count_try(what: str, who: str, *, most: int) -> None:
    """Count a try before it is made, so that even of simultaneous tries at most `most` get through.

    Raises TooManyTriesError beyond that.
    """
    key = _key(what, who)
    until = cache.get_or_set(f"{key}:until", clock.now().timestamp() + WINDOW, WINDOW) or 0.0
    cache.add(key, 0, WINDOW)
    try:
        tries = cache.incr(key)
    except ValueError:  # the count expired in this moment
        return
    if tries > most:
        raise TooManyTriesError(until - clock.now().timestamp())


def take_back(what: str, who: str) -> None:
    """Uncount the last try: it succeeded."""
    try:
        cache.decr(_key(what, who))
    except ValueError:
        return


def forget(what: str, who: str) -> None:
    key = _key(what, who)
    cache.delete_many([key, f"{key}:until"])


def _key(what: str, who: str) -> str:
    return f"tries {what} {sha256(who.encode()).hexdigest()}".replace(" ", ":")
