"""Settings of a beat that ticks every second."""

import select
import time

from config.settings import *  # noqa: F403

CELERY_BEAT_SCHEDULE = {"tick": {"task": "pipeline.tick", "schedule": 1}}


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


# Python sleeps until a moment of the monotonic clock, which libfaketime takes for an invalid one.
time.sleep = _sleep  # type: ignore[assignment]  # whole numbers are numbers, too
