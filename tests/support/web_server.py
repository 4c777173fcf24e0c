"""Web servers on this machine that answer as a test wants, while their block runs."""

import socket
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from tests.support.services import PATIENCE

Headers = dict[str, str]
Reply = tuple[int, bytes, Headers]


class Server(ThreadingHTTPServer):
    """Listens on a free port."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._thread = Thread(target=self.serve_forever, args=(0.02,), name="web server", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Sends replies, and prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send(self, status: int, data: bytes, headers: Headers) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def wait_for_the_caller_to_give_up(self) -> None:
        self.connection.settimeout(PATIENCE)
        with suppress(OSError):
            self.connection.recv(1, socket.MSG_PEEK)


class Answering(Server):
    """Answers every request by a function of its path and headers, and keeps what it got."""

    def __init__(self, answer: Callable[[str, Headers], Reply]) -> None:
        super().__init__(_Answers)
        self.answer = answer
        self.got: list[tuple[Headers, bytes]] = []


class _Answers(Handler):
    server: Answering

    def do_GET(self) -> None:
        headers = dict(self.headers)
        self.server.got.append((headers, self.body()))
        self.send(*self.server.answer(self.path, headers))

    do_POST = do_GET


class Receiver(Answering):
    """Takes what webhooks send. Answers with the statuses in `answers`, one after another, then with 204."""

    def __init__(self) -> None:
        super().__init__(self._next)
        self.answers: list[int] = []

    @property
    def url(self) -> str:
        return f"{super().url}/hook?to=me"

    def _next(self, path: str, headers: Headers) -> Reply:
        status = self.answers.pop(0) if self.answers else 204
        return status, b"", {"Location": "/elsewhere"} if status == 302 else {}
