"""Serves the web pages from this process, and ticks when no Celery worker does."""

import logging
import socket
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db import connections
from gunicorn.app.base import BaseApplication

from config.ticker import start_ticker

THREADS = 8


def free_port(host: str, first: int, tries: int = 100) -> int:
    """The first port from `first` on that nobody listens on. Raises OSError after so many tries."""
    for port in range(first, first + tries):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise OSError(f"every port of {host} from {first} to {first + tries - 1} is taken; give another with --port")


def serve(host: str, port: int) -> None:
    """Serve until the process is told to stop."""
    # The serving process is forked from this one and must not inherit an open database.
    connections.close_all()
    logging.getLogger("gunicorn").setLevel(logging.WARNING)
    _Server(host, port).run()


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """One process with threads: the embedded database has one writer at a time anyway."""

    def __init__(self, host: str, port: int) -> None:
        self.bind = f"{host}:{port}"
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, Any] = {
            "bind": self.bind,
            "workers": 1,
            "threads": THREADS,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": _start_ticking,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIHandler:
        return get_wsgi_application()


def _start_ticking(worker: object) -> None:
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        return  # Celery's beat ticks
    from exchange.jobs import forget_exports_job
    from pipeline.tick import tick
    from platforms.jobs import hear_job, sync_job
    from reports.jobs import look_at_workers_job

    start_ticker(tick, every=settings.TICK_SECONDS)
    start_ticker(sync_job, every=settings.SYNC_SECONDS)
    start_ticker(hear_job, every=settings.HEAR_SECONDS)
    start_ticker(look_at_workers_job, every=settings.LOOK_SECONDS)
    start_ticker(forget_exports_job, every=settings.LOOK_SECONDS)
