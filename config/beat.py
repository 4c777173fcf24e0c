"""The schedule of `celery beat`: in memory, by the monotonic clock, so that no jump of the wall clock stops a job.

Each job is due when beat starts and then again and again. A missed time is not made up for.
"""

import time
from datetime import timedelta
from typing import Any

from celery.beat import ScheduleEntry, Scheduler


class MonotonicScheduler(Scheduler):
    """Sends each job of CELERY_BEAT_SCHEDULE at once and then every `schedule` seconds."""

    def setup_schedule(self) -> None:
        self.merge_inplace(self.app.conf.beat_schedule)
        self._due = dict.fromkeys(self.schedule, time.monotonic())

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send every job that is due. Returns the seconds until the next one."""
        for name, entry in self.schedule.items():
            if self._due[name] <= time.monotonic():
                self._due[name] = time.monotonic() + _seconds(entry)
                self.apply_entry(entry, producer=self.producer)
        return max(0.0, min(self._due.values()) - time.monotonic())


def _seconds(entry: ScheduleEntry) -> float:
    # The schedule in the settings holds seconds only, so this is a `celery.schedules.schedule`.
    every: timedelta = entry.schedule.run_every  # type: ignore[union-attr]
    return every.total_seconds()
