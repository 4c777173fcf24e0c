"""The schedule of `celery beat`: in memory, by the monotonic clock, so that no jump of the wall clock stops a job.

Each job is due when beat starts and then again and again. A missed time is not made up for. Of several clocks one
sends: it holds a lease, a row in the database, which runs out a moment after whatever ended it. A clock that does not
reach Redis, where jobs are sent to, lets go of it.

A lease and no lock of a session: that of a process that was stopped, or of a machine that was cut off, would be held
until somebody noticed, and a pooler between would give it to strangers.
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
from django.db import DatabaseError, connection
from django.db.models import Q
from redis import Redis
from redis.exceptions import RedisError

from runtime import clock
from runtime.models import JobRun

logger = logging.getLogger(__name__)
LEASE_TIME = timedelta(seconds=9)
"""The time for which a clock that says nothing is still the one that sends."""
LOOK_SECONDS = 3.0
"""The time between two looks at the lease."""
LEASE = "clock"
"""The key of the lease's row. No job belongs to it, so nobody sends or ends it as work."""


class ClockLease:
    """The right to be the clock. The database tells the time within each statement: no clock of a machine matters."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._me = f"{socket.gethostname()} {os.getpid()} {token_hex(4)}"
        self._held: bool | None = None

    def hold(self) -> bool:
        """Take the lease, or keep it. Returns False while another clock has it, or a server does not answer."""
        try:
            self._redis.ping()
            held = self._take()
        except (RedisError, OSError) as error:
            logger.warning("The clock waits: Redis does not answer (%s)", error)
            self.let_go()
            return False
        except DatabaseError as error:
            connection.close()
            logger.warning("The clock waits: the database does not answer (%s)", " ".join(str(error).split()))
            self._held = None
            return False
        if held != self._held:
            logger.warning("This clock sends the jobs" if held else "Another clock sends the jobs: this one waits")
        self._held = held
        return held

    def let_go(self) -> None:
        """Let another clock begin at once."""
        self._held = None
        try:
            JobRun.objects.filter(key=LEASE, holder=self._me).update(state=JobRun.State.DONE, held_until=None)
        except DatabaseError:
            connection.close()  # it runs out

    def _take(self) -> bool:
        now = clock.in_statement()
        # A time that lies further ahead than it was ever set comes from before a jump of the database's clock.
        others = Q(held_until__gt=now, held_until__lte=now + 2 * LEASE_TIME)
        free = JobRun.objects.filter(Q(holder=self._me) | Q(held_until=None) | ~others, key=LEASE)
        values = {"state": JobRun.State.RUNNING, "holder": self._me, "held_until": now + LEASE_TIME}
        if free.update(**values):
            return True
        _, made = JobRun.objects.get_or_create(key=LEASE, defaults={"job": "", **values})
        return made


class MonotonicScheduler(Scheduler):
    """Sends each job of CELERY_BEAT_SCHEDULE at once and then every `schedule` seconds."""

    lease: ClockLease | None = None

    def setup_schedule(self) -> None:
        self.merge_inplace(self.app.conf.beat_schedule)
        self._due = dict.fromkeys(self.schedule, time.monotonic())
        if settings.REDIS_URL:
            self.lease = ClockLease(Redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE))

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
