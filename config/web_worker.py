"""The worker class of the web server: gunicorn starts and supervises the processes, waitress serves inside each.

Waitress reads a request in its event loop and binds a thread only when the whole request is there. Connections that
send slowly or nothing therefore hold no thread.
"""

import logging
import os
import resource
import time
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer
from waitress.task import ThreadedTaskDispatcher

from config.garbage import keep_what_is_loaded

CONNECTIONS = 1000
"""Open connections of one process. Further ones wait."""
PATIENCE = 20.0
"""Seconds in which a request must arrive, headers and body together ..."""
LEAST_RATE = 10_000
"""... and another second for each of these bytes of its body: a large but steady upload has enough time."""
IDLE = 75.0
"""Seconds that a connection may be silent between two requests."""
HURRY = 3.0
"""PATIENCE and IDLE while more than half of CONNECTIONS are open."""
MOST_HEADER_BYTES = 65_536
OWN_THREAD = ("/healthz", "/readyz")
"""Paths with a thread of their own, so that they respond while all other threads are busy."""
FILES = 8_192
"""Open files that a process asks the system for, if it may have fewer: a connection holds up to three."""


class Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request on its way in."""

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.begun = time.monotonic()

    def is_late(self, patience: float) -> bool:
        """Tell whether the request should be complete by now."""
        return time.monotonic() - self.begun > patience + self.body_bytes_received / LEAST_RATE


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    parser_class = Request

    def __init__(self, *args: Any, **options: Any) -> None:
        self.active_at = time.monotonic()
        super().__init__(*args, **options)

    def writable(self) -> bool:
        """Tell whether the loop has something to send: what a thread could not send before it was done.

        While a thread works, it sends by itself. The loop would only turn and wait for the thread's lock.
        """
        if self.requests and self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return bool(self.will_close)
        return bool(super().writable())

    @property
    def is_busy(self) -> bool:
        """Whether a thread works on a request, or a response is being sent."""
        return bool(self.requests or self.total_outbufs_len)

    def is_overdue(self, *, hurried: bool) -> bool:
        """Tell whether the client has kept the connection waiting for too long."""
        if self.is_busy:
            return False
        if self.request is not None:
            return bool(self.request.is_late(HURRY if hurried else PATIENCE))
        return time.monotonic() - self.active_at > (HURRY if hurried else IDLE)

    def handle_read(self) -> None:
        self.active_at = time.monotonic()
        super().handle_read()

    def handle_write(self) -> None:
        self.active_at = time.monotonic()
        super().handle_write()


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Threads for requests, and one more for each path of OWN_THREAD."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.set_thread_count(threads)
        self.own = {path: ThreadedTaskDispatcher() for path in OWN_THREAD}
        for one in self.own.values():
            one.set_thread_count(1)

    def add_task(self, task: Channel) -> None:
        own = self.own.get(getattr(task.requests[0], "path", ""))
        if own:
            own.add_task(task)
        else:
            super().add_task(task)


class WebWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """A process that serves requests until gunicorn stops it or ends. Running requests are finished first."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        # Still in gunicorn's own process: the garbage collector must not copy the memory that both will share.
        keep_what_is_loaded()

    def run(self) -> None:
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a busy moment is no news
        _allow_open_files()
        self.map: dict[int, Any] = {}
        self.dispatcher = Dispatcher(self.cfg.threads)
        create_server(
            _without_body_for_head(self.wsgi),
            map=self.map,
            _dispatcher=self.dispatcher,
            sockets=[one.sock for one in self.sockets],
            connection_limit=CONNECTIONS,
            channel_timeout=int(IDLE),
            cleanup_interval=5,
            max_request_header_size=MOST_HEADER_BYTES,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1,  # files are uploaded in smaller pieces
            # The headers of proxies must reach Django, which reads them (SECURE_PROXY_SSL_HEADER, PROXIES).
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
            ident="chainbox",
        )
        self.servers = [one for one in self.map.values() if isinstance(one, BaseWSGIServer)]
        for server in self.servers:
            server.channel_class = Channel
        self._serve()
        self._finish()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to stop: the loop wakes up and ends."""
        self.alive = False
        if self.booted and hasattr(self, "servers"):
            self.servers[0].pull_trigger()

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Begin to stop after Ctrl-C: answers on their way are stored first."""
        self.cfg.worker_int(self)
        self.handle_exit(sig, frame)

    def _serve(self) -> None:
        swept = 0.0
        while self.alive and os.getppid() == self.ppid:
            wasyncore.poll2(1.0, self.map)
            if time.monotonic() - swept >= 1:
                swept = time.monotonic()
                self.notify()
                self._close(overdue=True)

    def _finish(self) -> None:
        """Accept nothing more, and end when no connection is busy or gunicorn's patience ends."""
        for server in self.servers:
            server.accepting = False
            server.del_channel(self.map)
            server.socket.close()
        end = time.monotonic() + self.cfg.graceful_timeout - 1
        while any(one.is_busy for one in self._channels()) and time.monotonic() < end:
            self.notify()
            self._close(overdue=False)
            wasyncore.poll2(0.1, self.map)
        for server in self.servers:
            # Stays open: a signal, or a thread that is done now, still wakes the loop.
            server.trigger.del_channel(self.map)
        wasyncore.close_all(self.map, ignore_all=True)

    def _channels(self) -> list[Channel]:
        return [one for one in self.map.values() if isinstance(one, Channel)]

    def _close(self, *, overdue: bool) -> None:
        """Close the connections that are overdue, or all that are not busy. The loop does it in its next turn."""
        channels = self._channels()
        hurried = len(channels) > CONNECTIONS / 2
        for one in channels:
            one.will_close |= one.is_overdue(hurried=hurried) if overdue else not one.is_busy


def _without_body_for_head(application: Any) -> Any:
    """Wrap the application so that HEAD requests get its headers alone. Waitress would send the body, too."""

    def respond(environ: dict[str, Any], start_response: Any) -> Any:
        response = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return response
        if hasattr(response, "close"):
            response.close()
        return ()

    return respond


def _allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
