"""Jobs that beat sends again and again. Those that piled up while no job runner ran do nothing after the first."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from celery import current_task

from runtime import clock
from runtime.models import JobRun

logger = logging.getLogger(__name__)
MOMENT = timedelta(seconds=5)
"""A job of the schedule does nothing if another of its kind finished less than so long ago."""
LATE = 4
"""The intervals after which a job that did not finish is logged as late."""


@contextmanager
def debounced(job: str, *, every: float) -> Iterator[bool]:
    """Yield whether this job of the schedule has anything to do, and note when it finished.

    `every`: seconds between two of them. All times are the database's, so no clock of a job runner matters. A job that
    is called as a function was in no pile, and always has something to do.
    """
    begun = clock.now()
    from_a_pile = current_task and not current_task.request.called_directly
    last = JobRun.objects.filter(key=job).values_list("finished_at", flat=True).first()
    since = None if last is None else begun - last
    if from_a_pile and since is not None and timedelta() <= since < MOMENT:
        logger.info("%s: left out, because another one finished %.1f seconds ago", job, since.total_seconds())
        yield False
        return
    if since is not None and since > timedelta(seconds=LATE * every):
        logger.warning("%s: the last one finished %.0f seconds ago", job, since.total_seconds())
    yield True
    finished = note_finished(job)
    logger.info("%s: done in %.1f seconds", job, (finished - begun).total_seconds())


def note_finished(job: str) -> datetime:
    """Note that a job of the schedule has just finished, and return when."""
    finished = clock.now()
    JobRun.objects.update_or_create(
        key=job, defaults={"job": job, "state": JobRun.State.DONE, "finished_at": finished, "held_until": None}
    )
    return finished


def seconds_since(job: str) -> float | None:
    """Return the seconds since a job of the schedule last finished, or None if it never did."""
    last = JobRun.objects.filter(key=job).values_list("finished_at", flat=True).first()
    return None if last is None else max((clock.now() - last).total_seconds(), 0.0)
