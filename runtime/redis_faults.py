"""The service while Redis does not answer: nothing is limited or remembered, and jobs wait in the database."""

import logging
import time
from collections.abc import Callable
from typing import Any

from celery import Task, current_app
from django.core.cache.backends.redis import RedisCache
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
REST_SECONDS = 5
"""The time for which Redis is not asked again after it failed. A Redis that hangs costs one request its time limit."""
FAILURES = (BrokerError, RedisError, OSError)

_rests_until = 0.0


def is_resting() -> bool:
    """Return whether Redis failed a moment ago, and is not asked now."""
    return time.monotonic() < _rests_until


def _rest(error: Exception, consequence: str) -> None:
    global _rests_until
    _rests_until = time.monotonic() + REST_SECONDS
    logger.warning("Redis does not answer, so %s: %s", consequence, str(error) or type(error).__name__)


class OpenCache(RedisCache):
    """The cache in Redis. While Redis does not answer, it is an empty cache that keeps nothing."""

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(True, super().add, args, kwargs)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._or(default, super().get, (key, default, version), {})

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._or(None, super().set, args, kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().touch, args, kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().delete, args, kwargs)

    def delete_many(self, *args: Any, **kwargs: Any) -> None:
        self._or(None, super().delete_many, args, kwargs)

    def get_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._or({}, super().get_many, args, kwargs)

    def set_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._or([], super().set_many, args, kwargs)

    def has_key(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().has_key, args, kwargs)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Raises ValueError if there is no such key, as when Redis does not answer."""
        found = self._or(None, super().incr, (key, delta, version), {})
        if found is None:
            raise ValueError(f"Key {key!r} not found.")
        return int(found)

    def _or(self, empty: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_resting():
            return empty
        try:
            return call(*args, **kwargs)
        except FAILURES as error:
            _rest(error, "tries to sign in or join are not limited, and hints are given more than once")
            return empty


def start(job: Task, *arguments: Any) -> bool:
    """Give the job to the job runners. Returns False if Redis does not take it. Jobs that run in place have run."""
    if current_app.conf.task_always_eager:
        job.delay(*arguments)
        return True
    if is_resting():
        return False
    try:
        job.delay(*arguments)
    except FAILURES as error:
        _rest(error, f"the job {job.name} waits")
        return False
    return True
