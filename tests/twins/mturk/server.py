"""HTTP: the API at "/", the worker's site at "/worker/" and "/mturk/externalSubmit"."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.twins.mturk import pages
from tests.twins.mturk.worker_side import Refused

if TYPE_CHECKING:
    from tests.twins.mturk.twin import MTurkTwin

SILENCE_SECONDS = 30


class Server(ThreadingHTTPServer):
    """Listens on a free port of this machine."""

    def __init__(self, twin: "MTurkTwin") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.twin = twin


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: calls are in twin.calls."""

    def do_GET(self) -> None:
        with self.trouble():
            self.site(self.path, [])

    def do_POST(self) -> None:
        with self.trouble():
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path == "/":
                self.api(body)
            else:
                self.site(self.path, parse_qsl(body.decode(), keep_blank_values=True))

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Let faults of the twin itself fail the test, not only the call."""
        try:
            yield
        except ConnectionError:
            """The client hung up first, as it may."""
        except Exception:
            self.server.twin.bugs.append(traceback.format_exc())
            self.send(500, "text/plain", traceback.format_exc())

    def api(self, body: bytes) -> None:
        reply = self.server.twin.call(self.headers, body)
        if reply.status:
            self.send(reply.status, "application/x-amz-json-1.1", reply.body)
        elif reply.body == "timeout":
            self.connection.settimeout(SILENCE_SECONDS)
            with suppress(TimeoutError):
                self.connection.recv(1)  # returns when the client gives up

    def site(self, path: str, form: list[tuple[str, str]]) -> None:
        """A page of the worker's site, or where to go next."""
        try:
            text = self.page(urlsplit(path).path.strip("/").split("/"), form)
        except Refused as refusal:
            return self.send(403, "text/html; charset=utf-8", pages.refused(str(refusal)))
        if not text.startswith("/"):
            return self.send(200, "text/html; charset=utf-8", text)
        self.send_response(303)
        self.send_header("Location", text)
        self.end_headers()

    def page(self, parts: list[str], form: list[tuple[str, str]]) -> str:
        """A page's text, or an address that begins with "/". Raises Refused."""
        twin, posted = self.server.twin, self.command == "POST"
        match parts:
            case ["mturk", "externalSubmit"] if posted and "//" not in self.requestline:
                fields = [*parse_qsl(urlsplit(self.path).query, keep_blank_values=True), *form]
                return pages.submitted(twin.submit(dict(fields).get("assignmentId", ""), fields))
            case ["worker", worker]:
                return pages.hit_list(twin.worker(worker), twin.discover(worker))
            case ["worker", worker, "hits", hit]:
                return pages.preview(twin.worker(worker), twin.preview(hit, worker), twin.sandbox)
            case ["worker", worker, "hits", hit, "accept"] if posted:
                return f"/worker/{worker}/assignments/{twin.accept(hit, worker).id}"
            case ["worker", worker, "assignments", assignment]:
                return pages.work(twin.held(assignment, worker), twin.sandbox, twin.submit_to)
            case ["worker", worker, "assignments", assignment, "return"] if posted:
                twin.give_back(twin.held(assignment, worker).id)
                return f"/worker/{worker}"
        raise Refused("There is no such page.")

    def send(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
