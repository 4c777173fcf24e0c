"""Work on threads of their own, where jobs run in place: nobody's request waits for long work, nor does the tick."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from celery import Task
from django.conf import settings
from django.db import connections

from pipeline.jobs import job

logger = logging.getLogger(__name__)
THREADS = 2
"""The threads that do long work. All share one processor with the pages, so more of them would only slow these."""
_waiting: deque[Callable[[], None]] = deque()
_lock = threading.Lock()
_threads = 0


def background_job(name: str) -> Callable[[Callable[[int], None]], Task]:
    """Return a decorator that makes a job of work about the row with a number."""

    def decorate(work: Callable[[int], None]) -> Task:
        @job(name=name)
        def begin(number: int) -> None:
            in_background(partial(work, number))

        return begin

    return decorate


def in_background(work: Callable[[], None]) -> None:
    """Do the work of a job: here in a job runner, on a thread where jobs run in place.

    If the process ends, the tick finds the work and begins it again.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        on_a_thread(work)
    else:
        work()


def on_a_thread(work: Callable[[], None]) -> None:
    """Do the work on one of the threads, in turn."""
    global _threads
    with _lock:
        _waiting.append(work)
        if _threads == THREADS:
            return
        _threads += 1
    threading.Thread(target=_work_off, name="long work", daemon=True).start()


def _work_off() -> None:
    global _threads
    while True:
        with _lock:
            if not _waiting:
                _threads -= 1
                return
            work = _waiting.popleft()
        _guarded(work)


def _guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("Long work failed; its page says so, and it can be begun again there.")
    finally:
        connections.close_all()
