"""The worker class of the web server: gunicorn starts and supervises the processes, waitress serves inside each.

Waitress reads a request in its event loop and binds a thread only when the whole request is there. Connections that
send slowly or nothing therefore hold no thread.
"""

import logging
import os
import resource
import sys
import threading
import time
from functools import partial
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer
from waitress.task import Task, ThreadedTaskDispatcher, WSGITask

from config.processes import keep_what_is_loaded

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
ALIVE, ALIVE_ANSWER = "/healthz", b"ok\n"
"""The path that the event loop answers by itself: it tells that the process runs, and waits for no thread."""
OWN_THREAD = "/readyz"
"""The path with a thread of its own, so that it responds while all other threads are busy."""
ACCEPTED_AT_ONCE = 100
"""Visitors who are let in in one turn of the loop. One a turn, as waitress does it, and the last of many waits long."""
SWITCH_SECONDS = 0.0005
"""The time for which a thread may keep the interpreter while others wait for it, a tenth of Python's own.

The loop waits for it at each step, behind every thread that is busy.
"""
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


class AliveTask(Task):  # type: ignore[misc]
    """The answer that the process runs."""

    complete = True  # status and headers are there before the first byte of the body

    def execute(self) -> None:
        self.status = "200 OK"
        self.response_headers += [("Content-Type", "text/plain"), ("X-Content-Type-Options", "nosniff")]
        self.content_length = len(ALIVE_ANSWER)
        self.write(ALIVE_ANSWER if self.request.command != "HEAD" else b"")


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    parser_class = Request

    def __init__(self, *args: Any, **options: Any) -> None:
        self.active_at = time.monotonic()
        self.is_asked_for_health = False
        """Whether the next request is for the loop to answer."""
        super().__init__(*args, **options)

    def task_class(self, channel: "Channel", request: Request) -> Task:
        """Return what answers a request."""
        return (AliveTask if request.path == ALIVE else WSGITask)(channel, request)

    def received(self, data: bytes) -> bool:
        """Take what a client has sent. If it asks whether the process runs, say so at once."""
        found = bool(super().received(data))
        while self.is_asked_for_health:
            self.is_asked_for_health = False
            self.service()
        return found

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
    """Threads for requests, and one more for OWN_THREAD. Made by the thread of the loop."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.loop = threading.get_ident()
        self.set_thread_count(threads)
        self.own = ThreadedTaskDispatcher()
        self.own.set_thread_count(1)

    def add_task(self, task: Channel) -> None:
        path = getattr(task.requests[0], "path", "")
        if path == ALIVE and threading.get_ident() == self.loop:
            task.is_asked_for_health = True
        elif path == OWN_THREAD:
            self.own.add_task(task)
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
            sockets=[socket.sock for socket in self.sockets],
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
        self.servers = [dispatcher for dispatcher in self.map.values() if isinstance(dispatcher, BaseWSGIServer)]
        for server in self.servers:
            use_channels(server)
        sys.setswitchinterval(SWITCH_SECONDS)
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
        while any(channel.is_busy for channel in self._channels()) and time.monotonic() < end:
            self.notify()
            self._close(overdue=False)
            wasyncore.poll2(0.1, self.map)
        for server in self.servers:
            # Stays open: a signal, or a thread that is done now, still wakes the loop.
            server.trigger.del_channel(self.map)
        wasyncore.close_all(self.map, ignore_all=True)

    def _channels(self) -> list[Channel]:
        return [dispatcher for dispatcher in self.map.values() if isinstance(dispatcher, Channel)]

    def _close(self, *, overdue: bool) -> None:
        """Close the connections that are overdue, or all that are not busy. The loop does it in its next turn."""
        channels = self._channels()
        hurried = len(channels) > CONNECTIONS / 2
        for channel in channels:
            channel.will_close |= channel.is_overdue(hurried=hurried) if overdue else not channel.is_busy


def use_channels(server: BaseWSGIServer) -> None:
    """Let a server of waitress keep its connections as Channel, and let in many visitors in one turn of the loop."""
    server.channel_class = Channel
    server.handle_accept = partial(_accept_many, server)


def _accept_many(server: BaseWSGIServer) -> None:
    """Let in all who wait, as long as there are no more than ACCEPTED_AT_ONCE."""
    for _ in range(ACCEPTED_AT_ONCE):
        before = len(server.active_channels)
        type(server).handle_accept(server)
        if len(server.active_channels) == before:
            return


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
