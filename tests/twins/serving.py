"""What both twins do over HTTP: listen, reply, hang up, and fail on demand, before a call took effect or afterwards."""

import socket
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal

How = Literal["before", "after"]
Kind = Literal["timeout", "cut", "500", "throttle"]
"""timeout: no reply until the caller gives up; cut: the connection ends without one."""
LONGEST_WAIT = 60
"""Seconds after which a caller who never gives up is let go."""


@dataclass(slots=True)
class Fault:
    """`call`: a pattern with * over the operation, or over the method and the path."""

    call: str
    how: How
    kind: Kind
    left: int
    retry_after: int = 1


class Faults(list[Fault]):
    """The faults that were asked for, each used up in its turn."""

    def coming(self, call: str) -> Fault | None:
        """The fault that the next such call meets."""
        return next((fault for fault in self if fault.left and fnmatchcase(call, fault.call)), None)

    def take(self, call: str) -> Fault | None:
        if fault := self.coming(call):
            fault.left -= 1
        return fault


class Server(ThreadingHTTPServer):
    """Listens on a free port of this machine, from `start` to `stop`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = Thread(target=self.serve_forever, args=(0.02,), name="twin", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Sends replies, and prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: the twins list their calls."""

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def wait_for_the_caller_to_give_up(self) -> None:
        self.connection.settimeout(LONGEST_WAIT)
        with suppress(OSError):
            self.connection.recv(1, socket.MSG_PEEK)
