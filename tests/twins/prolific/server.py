"""The HTTP server: reads a call, lets it meet its fault, checks the token, answers."""

import json
import secrets
import socket
from contextlib import suppress
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import RLock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.twins.prolific.account import Account
from tests.twins.prolific.faults import Faults
from tests.twins.prolific.pages import COOKIE
from tests.twins.prolific.recruiting import expire
from tests.twins.prolific.routes import API, PAGES, answer
from tests.twins.prolific.wire import Json, Refusal, Reply, Request

PREFIX = "/api/v1"
LONGEST_WAIT = 60
"""Seconds after which a caller who never gives up is let go."""


class Server(ThreadingHTTPServer):
    """One account behind a free port of 127.0.0.1. One call at a time takes effect."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, account: Account, faults: Faults) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.account, self.faults, self.lock = account, faults, RLock()
        self.calls: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print nothing."""

    def _serve(self) -> None:
        path = urlsplit(self.path).path
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not path.startswith(PREFIX + "/"):
            self._send(self._reply(path, sent, PAGES))
            return
        path = path.removeprefix(PREFIX)
        self.server.calls.append((self.command, path))
        fault = self.server.faults.take(self.command, path)
        if fault is None:
            self._send(self._reply(path, sent, API))
            return
        if fault.how == "after":
            self._reply(path, sent, API)
        if (instead := fault.reply()) is not None:
            self._send(instead)
        elif fault.kind == "timeout":
            self._wait_for_the_caller_to_give_up()

    def _reply(self, path: str, sent: bytes, routes: list[Any]) -> Reply:
        try:
            if routes is API:
                self._check_token()
            request = Request(self.command, path, self._query(), _body(sent, routes), self.server.url)
            with self.server.lock:
                expire(self.server.account)
                return answer(routes, self.server.account, request)
        except Refusal as refused:
            return refused.reply()

    def _check_token(self) -> None:
        given = self.headers.get("Authorization", "")
        if not secrets.compare_digest(given.encode(), f"Token {self.server.account.token}".encode()):
            raise Refusal("Authentication credentials are missing or wrong.", 401)

    def _query(self) -> dict[str, str]:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        signed_in = {COOKIE: cookie.value} if cookie else {}
        return dict(parse_qsl(urlsplit(self.path).query)) | signed_in

    def _send(self, reply: Reply) -> None:
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _wait_for_the_caller_to_give_up(self) -> None:
        self.connection.settimeout(LONGEST_WAIT)
        with suppress(OSError):
            self.connection.recv(1, socket.MSG_PEEK)


def _body(sent: bytes, routes: list[Any]) -> Json:
    if not sent or routes is not API:
        return {}
    try:
        body = json.loads(sent)
    except ValueError as error:
        raise Refusal("The body is no JSON.") from error
    if not isinstance(body, dict):
        raise Refusal("The body must be an object.")
    return body
