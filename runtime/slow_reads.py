"""Reads that take long in a large project, kept for a while; in a small one they are made each time."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

T = TypeVar("T")
SLOW_SECONDS = 0.25
SHARE = 60
"""A read that took a second is kept for a minute."""


def cached_read(key: str, read: Callable[[], T], *, slow: float = SLOW_SECONDS) -> T:
    """Return what `read` returns, or what it returned a moment ago if that took longer than `slow`, in seconds."""
    found: T | None = cache.get(key)
    if found is None:
        begun = time.monotonic()
        found = read()
        took = time.monotonic() - begun
        if took > slow:
            cache.set(key, found, SHARE * took)
    return found
