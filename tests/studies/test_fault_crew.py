"""Workers of the fault campaign stay as long as questions can come back to them."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from studies.faults import crew as study
from studies.faults.crew import Crew, Journal

LEASE_SECONDS = 1.0


class OneQuestion(ThreadingHTTPServer):
    """A service with one question. It lends the question to the worker who vanishes, and after that lease to others."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.leases: list[float] = []
        """The moments at which the question was lent."""
        self.asked, self.is_open = threading.Event(), False

    def lend(self, key: str) -> dict[str, object] | None:
        now = time.monotonic()
        self.asked.set()
        if not self.is_open:
            return None
        if self.leases:
            may = "works" in key and len(self.leases) == 1 and now > self.leases[0] + LEASE_SECONDS
        else:
            may = "vanishes" in key
        if not may:
            return None
        self.leases.append(now)
        return {"token": "t", "questions": [{}], "seconds_left": LEASE_SECONDS}


class Reply(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OneQuestion

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/submit/"):
            body: dict[str, object] = {"stored": 1, "too_late": 0, "earned_cents": 0}
        else:
            body = {"assignment": self.server.lend(self.headers["Authorization"])}
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


def test_a_worker_vanishes_however_late_work_begins_and_others_wait_for_the_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study, "DAWDLE", (0.0, 0.0))
    with OneQuestion() as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        crew = Crew(service.server_port, "p", ["vanishes", "works"], 1, Journal())
        crew.quiet_seconds = LEASE_SECONDS
        crew.start()
        try:
            assert service.asked.wait(30)
            crew.journal.expect_work()
            crew.go_home.set()
            service.is_open = True
            assert crew.wait(30)
        finally:
            crew.over.set()
            service.shutdown()
    assert crew.journal.acknowledged == 1
