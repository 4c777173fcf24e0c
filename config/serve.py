"""The web server of `manage.py serve`: one process, with a clock for the background work if Celery does not run."""

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connections
from gunicorn.app.base import BaseApplication

from config.environment import SERVED
from config.processes import post_fork
from runtime.faults import fault_of, log_fault

THREADS = 8
BACKLOG = 2048
"""Visitors who may wait for a thread."""
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # compared with, not listened on
"""Hosts that mean every address of this machine, and one address that a browser can open."""

logger = logging.getLogger(__name__)


def listen(host: str, first: int, tries: int = 100) -> socket.socket:
    """Listen on the first free port from `first` on. Raises OSError if all the ports tried are taken."""
    for port in range(first, first + tries):
        with suppress(OSError):
            return socket.create_server((host, port), backlog=BACKLOG)
    raise OSError(f"Every port of {host} from {first} to {first + tries - 1} is taken: give another with --port.")


def address_of(listener: socket.socket) -> str:
    """Return the address at which a browser on this machine finds the service."""
    host, port = listener.getsockname()
    return f"http://{ANYWHERE.get(host, host)}:{port}"


def serve(listener: socket.socket) -> None:
    """Serve the pages until the process is stopped. Links that other processes print lead here meanwhile."""
    address = address_of(listener)
    settings.ADDRESS = settings.ADDRESS if settings.ADDRESS_IS_GIVEN else address
    (settings.DATA / SERVED).write_text(address, encoding="utf-8")
    # The serving process is forked from this one and must not inherit an open database connection.
    connections.close_all()
    logging.getLogger("gunicorn").setLevel(logging.WARNING)
    _Server(listener, address).run()


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """One process with threads, because the embedded database has one writer at a time."""

    def __init__(self, listener: socket.socket, address: str) -> None:
        self.descriptor, self.address = listener.detach(), address
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, Any] = {
            "bind": f"fd://{self.descriptor}",
            "workers": 1,
            "threads": THREADS,
            "worker_class": "config.web_worker.WebWorker",
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_fork": post_fork,
            "post_worker_init": _start_ticking,
            "on_exit": lambda server: _forget_address(self.address),
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIHandler:
        return get_wsgi_application()


def _forget_address(address: str) -> None:
    """Delete the file with this address. A process that began to serve the same folder later keeps its own."""
    file = settings.DATA / SERVED
    if file.exists() and file.read_text(encoding="utf-8") == address:
        file.unlink()


def _start_ticking(worker: object) -> None:
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        return  # Celery's beat runs
    from config.celery import app

    app.loader.import_default_modules()
    schedule: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE
    for entry in schedule.values():
        start_ticker(app.tasks[entry["task"]], every=entry["schedule"])


def start_ticker(tick: Callable[[], object], *, every: float) -> threading.Event:
    """Call tick() at once and then every `every` seconds on a daemon thread, until the returned event is set.

    A tick that fails is logged, and the next one comes at its time.
    """
    stop = threading.Event()
    threading.Thread(target=_tick, args=(tick, every, stop), name="ticker", daemon=True).start()
    return stop


def _tick(tick: Callable[[], object], every: float, stop: threading.Event) -> None:
    while not stop.is_set():
        close_old_connections()
        try:
            tick()
        except Exception as error:
            if fault := fault_of(error):
                log_fault(f"A tick failed (the next one is in {every:g} seconds)", fault, error)
            else:
                logger.exception("A tick failed. The next one is in %g seconds.", every)
        stop.wait(every)
    connections.close_all()
