"""Workers of the fault campaign stay as long as questions can come back to them."""

import json
import threading
import time

import pytest

from studies.faults import crew as study
from studies.faults.crew import Crew, Journal
from tests.support.web_server import Answering, Headers, Reply

LEASE_SECONDS = 1.0


class OneQuestion(Answering):
    """A service with one question. It lends the question to the worker who vanishes, and after that lease to others."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.leases: list[float] = []
        """The moments at which the question was lent."""
        self.asked, self.is_open = threading.Event(), False

    def _reply(self, path: str, headers: Headers) -> Reply:
        body: dict[str, object] = {"stored": 1, "too_late": 0, "earned_cents": 0}
        if not path.endswith("/submit/"):
            body = {"assignment": self.lend(headers["Authorization"])}
        return 200, json.dumps(body).encode(), {}

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


def test_a_worker_vanishes_however_late_work_begins_and_others_wait_for_the_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study, "DAWDLE", (0.0, 0.0))
    with OneQuestion() as service:
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
    assert crew.journal.acknowledged == 1
