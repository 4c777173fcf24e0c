"""Limit how often a visitor can try passwords or create accounts. Tries are counted in the cache."""

import time
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest

WINDOW = 15 * 60
"""Seconds from the first try until all tries are forgotten."""


class TooManyTriesError(Exception):
    """Too many tries; the message says how long to wait."""

    def __init__(self, seconds: float) -> None:
        minutes = max(1, round(seconds / 60))
        super().__init__(f"Too many tries. Wait {minutes} minute{'s' if minutes > 1 else ''}, then try again.")


def count_try(what: str, who: str, *, most: int) -> None:
    """Count a try before it is made, so that even of simultaneous tries at most `most` get through.

    Raises TooManyTriesError beyond that.
    """
    key = _key(what, who)
    until = cache.get_or_set(f"{key}:until", time.time() + WINDOW, WINDOW) or 0.0
    cache.add(key, 0, WINDOW)
    try:
        tries = cache.incr(key)
    except ValueError:  # the count expired in this moment
        return
    if tries > most:
        raise TooManyTriesError(until - time.time())


def take_back(what: str, who: str) -> None:
    """Uncount the last try: it succeeded."""
    try:
        cache.decr(_key(what, who))
    except ValueError:
        return


def forget(what: str, who: str) -> None:
    key = _key(what, who)
    cache.delete_many([key, f"{key}:until"])


def address_of(request: HttpRequest) -> str:
    """Return the address of the caller; of an IPv6 address the /64 network, which one customer holds."""
    given = str(request.META.get("REMOTE_ADDR", ""))
    try:
        address = ip_address(given)
    except ValueError:
        return given
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else given


def _key(what: str, who: str) -> str:
    return f"tries {what} {sha256(who.encode()).hexdigest()}".replace(" ", ":")
