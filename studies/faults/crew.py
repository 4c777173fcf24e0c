"""Workers who answer over HTTP through every fault, and write down what the service acknowledged."""

import random
import threading
import time
from collections import Counter
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
REST_SECONDS = 3.0
"""The time for which a host that did not answer is asked nothing, while there is another one."""
PAUSE = 0.3
DAWDLES, DAWDLE = 0.02, (22.0, 26.0)
"""The share of assignments that are submitted late, and for how long they are kept: lease, sweep, others' answers."""
QUIET_SECONDS = 8.0
"""Workers go home when nobody has found work for so long after the last fault: some sweeps of the service."""


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
    unavailable: Counter[str] = field(default_factory=Counter)
    """Answers with status 503, by their code."""
    moments: list[float] = field(default_factory=list)
    """The moments of time.monotonic() at which a submission was acknowledged."""
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


class Services:
    """The addresses of one service, as a balancer knows them: a host that did not answer has a rest."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self._rests_until = dict.fromkeys(addresses, 0.0)

    def one(self, rng: random.Random) -> str:
        """Return the address for the next request. It is another one from request to request."""
        awake = [one for one, until in self._rests_until.items() if until <= time.monotonic()]
        return rng.choice(awake or self.addresses)

    def failed(self, address: str) -> None:
        self._rests_until[address] = time.monotonic() + REST_SECONDS


class Crew:
    """One thread for each worker, until `go_home` is set and nothing is left to do."""

    def __init__(self, services: Services, project: str, keys: Sequence[str], seed: int, journal: Journal) -> None:
        self.services, self.project, self.keys, self.seed, self.journal = services, project, keys, seed, journal
        self.quiet_seconds, self.think_seconds = QUIET_SECONDS, 0.0
        self.pictures = False
        """Whether workers look at the picture of each assignment."""
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
        if self.crew.pictures:
            self._look(assignment["questions"][0]["image"]["url"])
        self.crew.over.wait(self.crew.think_seconds * self.rng.uniform(0.5, 1.5))
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
            self.journal.moments.append(time.monotonic())
        if receipt["stored"] + receipt["too_late"] != len(answers):
            self._refused(f"a receipt over {receipt['stored']} of {len(answers)} answers for {token}")

    def _send(self, path: str, body: Any, *, may_be_refused: Sequence[int] = ()) -> dict[str, Any] | None:
        """Send a request until the service answers without an error of its own. None: refused, or work is over."""
        what = path.split("/")[-2]
        while not self.crew.over.is_set():
            address = self._address(path)
            try:
                answer = self.http.post(address, json=body)
            except httpx.TransportError:
                self.crew.services.failed(_host_of(address))
                self._again()
                continue
            if answer.status_code == 200:
                return answer.json()  # type: ignore[no-any-return]
            if answer.status_code >= 500:
                self._unavailable(what, answer)
            elif answer.status_code != 429:
                if answer.status_code not in may_be_refused:
                    self._refused(f"{what} was answered {answer.status_code}: {answer.content[:200]!r}")
                return None
            self._again()
        return None

    def _look(self, url: str) -> None:
        """Ask for a picture, which may be missing for a while, but never for another reason."""
        address = self.crew.services.one(self.rng)
        try:
            answer = self.http.get(f"{address}{url}")
        except httpx.TransportError:
            self.crew.services.failed(address)
            self._again()
            return
        if answer.status_code == 503 and "Retry-After" in answer.headers:
            with self.journal.lock:
                self.journal.unavailable["picture"] += 1
        elif answer.status_code not in (200, 302):
            self._refused(f"a picture was answered {answer.status_code}: {answer.content[:200]!r}")

    def _address(self, path: str) -> str:
        return f"{self.crew.services.one(self.rng)}/api/v1/{path}"

    def _unavailable(self, what: str, answer: httpx.Response) -> None:
        """Count an answer of a service that cannot work now, and refuse one that the documentation does not know."""
        code = code_of(answer)
        with self.journal.lock:
            self.journal.unavailable[code] += 1
        if not code:
            self._refused(f"{what} failed with {answer.status_code}: {answer.content[:200]!r}")

    def _again(self) -> None:
        with self.journal.lock:
            self.journal.repeats += 1
        time.sleep(PAUSE * (0.5 + self.rng.random()))

    def _refused(self, what: str) -> None:
        with self.journal.lock:
            self.journal.refusals.append(what)


def code_of(answer: httpx.Response) -> str:
    """Return the code of an answer with status 503; empty if it is none that the documentation knows."""
    with suppress(ValueError, KeyError, TypeError):
        code = answer.json()["code"]
        if answer.status_code == 503 and code in CODES and "Retry-After" in answer.headers:
            return str(code)
    return ""


def _send_once(address: str, key: str, body: Any) -> None:
    """Send a request on a connection of its own, and do not look at the answer."""
    with suppress(httpx.TransportError), _client(key) as client:
        client.post(address, json=body)


def _host_of(address: str) -> str:
    return address.partition("/api/")[0]


def _client(key: str) -> httpx.Client:
    return httpx.Client(headers={"Authorization": f"Key {key}"}, timeout=TIMEOUT, trust_env=False)
