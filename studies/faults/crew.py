"""Workers who answer over HTTP through every fault, and write down what the service acknowledged."""

import random
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from runtime import faults as causes
from studies.http_load.http_workers import ANSWERS

CODES = {var.code for var in vars(causes).values() if isinstance(var, causes.Fault)}
"""The codes that an answer with status 503 may have."""
TIMEOUT = 10.0
"""Seconds until a worker gives a request up and sends it again."""
PAUSE = 0.3
DAWDLES, DAWDLE = 0.02, (22.0, 26.0)
"""The share of assignments that are submitted late, and for how long they are kept: lease, tick, others' answers."""
QUIET_SECONDS = 8.0
"""Workers go home when nobody has found work for so long after the last fault: some ticks of the service."""


@dataclass
class Journal:
    """The submissions that the service acknowledged, and its refusals. All worker threads write to the same journal."""

    submissions: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Answers of the service that no fault excuses: status 500, or a refused submission."""
    repeats: int = 0
    """Requests that were sent again after an error."""
    quiet_since: float = field(default_factory=time.monotonic)
    """The moment of time.monotonic() since which nobody has found work. It is still to come while a lease that its
    worker left has not run out: nobody can find those questions before."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def expect_work(self, seconds: float = 0.0) -> None:
        """Count as quiet only what follows the given seconds from now."""
        with self.lock:
            self.quiet_since = max(self.quiet_since, time.monotonic() + seconds)

    @property
    def acknowledged(self) -> int:
        return sum(len(submission["answers"]) - submission["too_late"] for submission in self.submissions)

    @property
    def acknowledged_after_links(self) -> int:
        """Answers to tasks after linking: hints about links and about these start different jobs."""
        own = [submission for submission in self.submissions if submission["task"] != "coreference_link"]
        return sum(len(one["answers"]) - one["too_late"] for one in own)


class Crew:
    """One thread for each worker, until `go_home` is set and nothing is left to do. `address`: of the service."""

    def __init__(self, address: str, project: str, keys: Sequence[str], seed: int, journal: Journal) -> None:
        self.address, self.project, self.keys, self.seed, self.journal = address, project, keys, seed, journal
        self.quiet_seconds = QUIET_SECONDS
        self.rest = 0.0
        """Seconds between two assignments of a worker."""
        self.go_home, self.over = threading.Event(), threading.Event()
        self.may_work = threading.Event()
        self.may_work.set()
        self.has_vanished = threading.Event()
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        """Let all work.

        The first worker asks for one assignment before all others and vanishes with it, so its lease must run out. The
        second submits the first assignment late, after others have had the time to answer its questions.
        """
        for number, key in enumerate(self.keys):
            worker = _Worker(self, key, random.Random(f"{self.seed}-{number}"), dawdles=number == 1)
            target = worker.work if number else worker.vanish
            self.threads.append(threading.Thread(target=target, name=f"worker {number}"))
            self.threads[-1].start()

    def wait(self, seconds: float) -> bool:
        """Wait until everybody went home. Returns False if somebody still works after these seconds."""
        end = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        ended = not any(thread.is_alive() for thread in self.threads)
        self.over.set()
        for thread in self.threads:
            thread.join(TIMEOUT * 3)
        return ended


class _Worker:
    def __init__(self, crew: Crew, key: str, rng: random.Random, *, dawdles: bool = False) -> None:
        self.crew, self.journal, self.key, self.rng = crew, crew.journal, key, rng
        self.dawdles = dawdles
        """Whether the next assignment is submitted late."""
        self.http = _client(key)

    def work(self) -> None:
        self.crew.has_vanished.wait()
        with self.http:
            while not self.crew.over.is_set():
                if not any([self._do(task) for task in self.rng.sample(PROTOCOL_TASKS, len(PROTOCOL_TASKS))]):
                    if self._may_go_home():
                        return
                    time.sleep(PAUSE)

    def vanish(self) -> None:
        """Ask until there is an assignment, and never come back."""
        try:
            with self.http:
                while not self.crew.over.is_set() and not self._may_go_home():
                    if assignment := self._ask(self.rng.choice(PROTOCOL_TASKS)):
                        self._leave(assignment)  # before any pause: the others may be about to go home
                        return
                    time.sleep(PAUSE)
        finally:
            self.crew.has_vanished.set()

    def _ask(self, task: Task) -> dict[str, Any] | None:
        path = f"projects/{self.crew.project}/assignments/"
        body = self._send(path, {"task": task.value}, may_be_refused=(403,))
        return body and body["assignment"]

    def _may_go_home(self) -> bool:
        quiet = time.monotonic() - self.journal.quiet_since > self.crew.quiet_seconds
        return self.crew.go_home.is_set() and quiet

    def _do(self, task: Task) -> bool:
        """Do one assignment of the task. Returns whether there was one."""
        self.crew.may_work.wait()
        if (assignment := self._ask(task)) is None:
            return False
        if self.crew.rest:
            self.crew.over.wait(self.crew.rest * (0.5 + self.rng.random()))
        self.journal.expect_work()
        rng = self.rng.random()
        if rng < 0.04:
            self._leave(assignment)
            return True
        if rng < 0.07:
            self._send(f"assignments/{assignment['token']}/return/", {})
            return True
        if self.dawdles or rng > 1 - DAWDLES:
            self.dawdles = False
            self._leave(assignment)
            self.crew.over.wait(self.rng.uniform(*DAWDLE))
        choices, odds = ANSWERS[task]
        answers = self.rng.choices(choices, odds, k=len(assignment["questions"]))
        self._submit(task.value, assignment["token"], answers)
        return True

    def _leave(self, assignment: dict[str, Any]) -> None:
        """Leave the assignment where it is: whether it is taken up again or runs out, there is work until then."""
        self.journal.expect_work(assignment["seconds_left"])

    def _submit(self, task: str, token: str, answers: list[Any]) -> None:
        """Submit the answers, sometimes twice at once, until they are acknowledged."""
        body = {"answers": [{"answer": answer, "seconds": 3.0, "comment": ""} for answer in answers]}
        path = f"assignments/{token}/submit/"
        twice = None
        if self.rng.random() < 0.2:
            twice = threading.Thread(target=_send_once, args=(self._address(path), self.key, body))
            twice.start()
        receipt = self._send(path, body)
        if twice:
            twice.join()
        if receipt is None:
            return
        entry = {"task": task, "token": token, "answers": answers, "too_late": receipt["too_late"]}
        with self.journal.lock:
            self.journal.submissions.append(entry | {"earned": receipt["earned_cents"]})
        if receipt["stored"] + receipt["too_late"] != len(answers):
            self._refused(f"a receipt over {receipt['stored']} of {len(answers)} answers for {token}")

    def _send(self, path: str, body: Any, *, may_be_refused: Sequence[int] = ()) -> dict[str, Any] | None:
        """Send a request until the service answers without an error of its own. None: refused, or work is over."""
        what = path.split("/")[-2]
        while not self.crew.over.is_set():
            try:
                answer = self.http.post(self._address(path), json=body)
            except httpx.TransportError:
                self._again()
                continue
            if answer.status_code == 200:
                return answer.json()  # type: ignore[no-any-return]
            if answer.status_code >= 500:
                if not is_documented(answer):
                    self._refused(f"{what} failed with {answer.status_code}: {answer.content[:200]!r}")
            elif answer.status_code != 429:
                if answer.status_code not in may_be_refused:
                    self._refused(f"{what} was answered {answer.status_code}: {answer.content[:200]!r}")
                return None
            self._again()
        return None

    def _address(self, path: str) -> str:
        return f"{self.crew.address}/api/v1/{path}"

    def _again(self) -> None:
        with self.journal.lock:
            self.journal.repeats += 1
        time.sleep(PAUSE * (0.5 + self.rng.random()))

    def _refused(self, what: str) -> None:
        with self.journal.lock:
            self.journal.refusals.append(what)


def is_documented(answer: httpx.Response) -> bool:
    """Return whether a service that cannot work now says so as the documentation promises: status 503 with a code."""
    with suppress(ValueError, KeyError, TypeError):
        return answer.status_code == 503 and "Retry-After" in answer.headers and answer.json()["code"] in CODES
    return False


def _send_once(address: str, key: str, body: Any) -> None:
    """Send a request on a connection of its own, and do not look at the answer."""
    with suppress(httpx.TransportError), _client(key) as client:
        client.post(address, json=body)


def _client(key: str) -> httpx.Client:
    return httpx.Client(headers={"Authorization": f"Key {key}"}, timeout=TIMEOUT, trust_env=False)
