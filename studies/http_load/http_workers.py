"""Simulated workers who use the API over HTTP as the labelling page does: each keeps one connection open."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pipeline.protocol.tasks.answers import CHOICES, drawing
from pipeline.protocol.tasks.task import Task

ANSWERS: dict[Task, tuple[Sequence[Any], list[int]]] = {
    Task.COREFERENCE_LINK: (CHOICES[Task.COREFERENCE_LINK], [35, 65]),
    Task.CHAIN_VERIFICATION: (CHOICES[Task.CHAIN_VERIFICATION], [90, 10]),
    Task.BOX_REQUIREMENT: (CHOICES[Task.BOX_REQUIREMENT], [70, 15, 15]),
    Task.BOX_DRAWING: ((drawing([40, 40, 160, 260]), drawing(None)), [85, 15]),
    Task.BOX_QUALITY: (CHOICES[Task.BOX_QUALITY], [85, 15]),
    Task.BOX_COVERAGE: (CHOICES[Task.BOX_COVERAGE], [80, 20]),
}
"""The answers of each task, and how many of a hundred each gets."""
SECONDS = 7.5
"""Seconds that a person needs for an answer."""
GAP = 10.0
"""Seconds between two drafts that a page saves."""
PAUSE = 0.02
"""Seconds before a worker asks again after finding nothing open."""


@dataclass(slots=True)
class Tally:
    """The work of a crew: judgments by task, and the seconds of each request by its purpose."""

    stored: Counter[Task] = field(default_factory=Counter)
    late: int = 0
    """Answers that came too late."""
    refused: Counter[str] = field(default_factory=Counter)
    """Requests for work that found nothing open, by the message of the API."""
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"ask": [], "submit": []})


class Crew:
    """Workers who answer questions of one project until about `wanted` answers are stored.

    `ports`: of the web hosts, between which the workers are divided.
    """

    def __init__(
        self,
        ports: Sequence[int],
        project: str,
        tasks: Sequence[Task],
        weights: Sequence[float],
        wanted: int,
        *,
        drafts: bool = False,
        pictures: bool = False,
    ) -> None:
        self.ports, self.project, self.tasks, self.weights = ports, project, tasks, weights
        self.drafts, self.pictures = drafts, pictures
        self.left, self.tally, self.lock = wanted, Tally(), threading.Lock()
        self.failure: Exception | None = None

    def work(self, bearers: Sequence[str], seed: int) -> float:
        """Let the workers answer, one thread each. Returns the seconds. Raises the error of a thread that failed."""
        begun = time.perf_counter()
        with ThreadPoolExecutor(len(bearers)) as pool:
            for number, bearer in enumerate(bearers):
                port = self.ports[number % len(self.ports)]
                pool.submit(self._guarded, port, bearer, random.Random(seed * 1000 + number))
        if self.failure:
            raise self.failure
        return time.perf_counter() - begun

    def _guarded(self, port: int, bearer: str, rng: random.Random) -> None:
        try:
            with Connection(port, bearer) as link:
                while self._go_on():
                    self._assignment(link, rng)
        except Exception as error:
            self.failure = error

    def _go_on(self) -> bool:
        return self.left > 0 and self.failure is None

    def _assignment(self, link: "Connection", rng: random.Random) -> None:
        task = rng.choices(self.tasks, self.weights)[0]
        asked, work = link.post(f"projects/{self.project}/assignments/", {"task": task.value})
        assignment = work["assignment"]
        if assignment is None:
            with self.lock:
                self.tally.refused[work["message"]] += 1
            time.sleep(PAUSE)
            return
        if self.pictures:
            for question in assignment["questions"]:
                link.fetch(question["image"]["url"])
        choices, odds = ANSWERS[task]
        answers = [
            {"answer": rng.choices(choices, odds)[0], "seconds": SECONDS, "comment": ""}
            for _ in assignment["questions"]
        ]
        if self.drafts:
            self._save_drafts(link, assignment["token"], answers)
        sent, receipt = link.post(f"assignments/{assignment['token']}/submit/", {"answers": answers})
        with self.lock:
            self.left -= receipt["stored"]
            self.tally.stored[task] += receipt["stored"]
            self.tally.late += len(answers) - receipt["stored"]
            self.tally.seconds["ask"].append(asked)
            self.tally.seconds["submit"].append(sent)

    def _save_drafts(self, link: "Connection", token: str, answers: Sequence[dict[str, Any]]) -> None:
        """Save the drafts that a page saves while a person gives these answers, one after the other at once."""
        empty = {"answer": None, "seconds": 0, "comment": "", "decided": False, "skip": None}
        for given in saves(len(answers)):
            entries = [{**empty, **answer, "decided": True} for answer in answers[:given]]
            entries += [empty] * (len(answers) - given)
            draft = {"form": 1, "project": self.project, "saved": given, "index": given, "entries": entries}
            link.send("PUT", f"assignments/{token}/draft/", {"draft": draft})


def saves(answers: int) -> list[int]:
    """Return the number of answers in each draft that is saved while a person gives these answers."""
    times = [SECONDS + GAP * n for n in range(answers) if SECONDS + GAP * n <= SECONDS * answers]
    return [int(time / SECONDS) for time in times]


class Connection:
    """One worker's connection to the API. It stays open, and is opened again when the server has closed it."""

    def __init__(self, port: int, bearer: str) -> None:
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def post(self, path: str, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Send a POST request. See `send`."""
        return self.send("POST", path, body)

    def send(self, method: str, path: str, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Send a request. Returns its seconds and the answer. Raises RuntimeError for any status but 200."""
        begun = time.perf_counter()
        content = self._request(method, f"/api/v1/{path}", json.dumps(body), self.headers)
        return time.perf_counter() - begun, json.loads(content)

    def fetch(self, address: str) -> bytes:
        """Get a picture. Raises RuntimeError for any status but 200."""
        return self._request("GET", address, None, {})

    def _request(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> bytes:
        for last in (False, True):
            try:
                self.http.request(method, path, body, headers)
                answer = self.http.getresponse()
                content = answer.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.http.close()
                if last:
                    raise
        if answer.status != 200:
            raise RuntimeError(f"{path} was answered {answer.status}: {content[:300]!r}")
        return content
