"""Calls tick() again and again on a thread of the web process, where no Celery beat runs."""

import logging
import threading
from collections.abc import Callable

from django.db import close_old_connections, connections

logger = logging.getLogger(__name__)


def start_ticker(tick: Callable[[], object], *, every: float) -> threading.Event:
    """Call tick() now and then every so many seconds on a daemon thread, until the event returned is set.

    A tick that fails is logged; the next one comes all the same.
    """
    stop = threading.Event()
    threading.Thread(target=_run, args=(tick, every, stop), name="ticker", daemon=True).start()
    return stop


def _run(tick: Callable[[], object], every: float, stop: threading.Event) -> None:
    while not stop.is_set():
        close_old_connections()
        try:
            tick()
        except Exception:
            logger.exception("tick failed; the next one is in %g seconds", every)
        stop.wait(every)
    connections.close_all()
