"""The schedule of `celery beat`: in memory, by the monotonic clock, so that no jump of the wall clock stops a job.

Each job is due when beat starts and then again and again. A missed time is not made up for. Of several clocks one
sends: it holds a lease in Redis, which runs out a moment after whatever ended it.
"""

import logging
import os
import socket
import time
from datetime import timedelta
from secrets import token_hex
from typing import Any

from celery.beat import ScheduleEntry, Scheduler
from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
LEASE_SECONDS = 9.0
"""The time for which a clock that says nothing is still the one that sends."""
LOOK_SECONDS = 3.0
"""The time between two looks at the lease."""
LEASE = "chainbox:clock"
HOLD = """
local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1
"""
LET_GO = 'if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end'


class Lease:
    """The right to be the clock. Redis keeps the time, so that no clock of a machine matters."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._me = f"{socket.gethostname()} {os.getpid()} {token_hex(4)}"
        self._held: bool | None = None

    def hold(self) -> bool:
        """Take the lease, or keep it. Returns False while another clock has it, or Redis does not answer."""
        try:
            held = bool(self._redis.eval(HOLD, 1, LEASE, self._me, int(LEASE_SECONDS * 1000)))
        except (RedisError, OSError) as error:
            logger.warning("The clock waits: Redis does not answer (%s)", error)
            return False
        if held != self._held:
            logger.warning("This clock sends the jobs" if held else "Another clock sends the jobs: this one waits")
        self._held = held
        return held

    def let_go(self) -> None:
        """Let another clock begin at once."""
        try:
            self._redis.eval(LET_GO, 1, LEASE, self._me)
        except (RedisError, OSError):
            return  # it runs out


class MonotonicScheduler(Scheduler):
    """Sends each job of CELERY_BEAT_SCHEDULE at once and then every `schedule` seconds."""

    lease: Lease | None = None

    def setup_schedule(self) -> None:
        self.merge_inplace(self.app.conf.beat_schedule)
        self._due = dict.fromkeys(self.schedule, time.monotonic())
        if settings.REDIS_URL:
            self.lease = Lease(Redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE))

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send every job that is due, unless another clock does. Returns the seconds until the next look."""
        if self.lease and not self.lease.hold():
            return LOOK_SECONDS
        for name, entry in self.schedule.items():
            if self._due[name] <= time.monotonic():
                self._due[name] = time.monotonic() + _seconds(entry)
                self.apply_entry(entry, producer=self.producer)
        wait = max(0.0, min(self._due.values()) - time.monotonic())
        return min(wait, LOOK_SECONDS) if self.lease else wait

    def close(self) -> None:
        if self.lease:
            self.lease.let_go()
        super().close()


def _seconds(entry: ScheduleEntry) -> float:
    # The schedule in the settings holds seconds only, so this is a `celery.schedules.schedule`.
    every: timedelta = entry.schedule.run_every  # type: ignore[union-attr]
    return every.total_seconds()
