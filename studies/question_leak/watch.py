"""Workers who ask, look around, return, leave out and submit through the service's own pages and API.

The requests go to the service within this process. Everything that a worker gets back is kept.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from pipeline.tick import tick
from studies.http_load.http_workers import ANSWERS
from studies.question_leak.world import World, rolled_back
from workers.models import Worker
from workers.tokens import make_page_token

PAGES = ("/work/{project}/", "/work/", "/work/{project}/earned/", "/work/{project}/{task}/")
OFFERS = "projects/{project}/tasks/"
"""The list of a worker's tasks, from the API."""
WATCHED = (Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
"""The tasks with enough open questions at the same time."""
RETURNS = 3
"""Draws that a worker returns before answering."""
LEFT_OUT = 0.3
"""The share of questions that a watched worker leaves out."""


@dataclass(slots=True)
class Look:
    """The view of a worker between two steps: the list of tasks, and each page."""

    offer: dict[str, Any] = field(default_factory=dict)
    """Of the task of the assignment; empty if nobody looked at the list."""
    pages: dict[str, str] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Shift:
    """One assignment from asking to the receipt, and, from the database, which of its questions were known."""

    worker: int
    task: Task
    before: Look
    during: Look
    after: Look
    work: dict[str, Any]
    work_headers: dict[str, str]
    receipt: dict[str, Any]
    answered: int
    known: list[bool]


@dataclass(slots=True)
class Redrawn:
    """A draw, and the one that the worker got after returning it, while other workers went on."""

    task: Task
    first: list[str]
    again: list[str]
    known: list[bool]
    """Of the first draw."""
    known_again: list[bool]


@dataclass(slots=True)
class Person:
    """A worker at a browser of their own."""

    world: World
    worker: Worker
    client: Client = field(init=False)

    def __post_init__(self) -> None:
        assert self.worker.user is not None
        self.client = Client(SERVER_NAME="localhost")
        self.client.force_login(self.worker.user)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API. Returns the response; raises RuntimeError if it is an error."""
        text = "" if body is None else json.dumps(body)
        headers = {"authorization": f"Bearer {make_page_token(self.worker.id)}"}
        said = self.client.generic(method, f"/api/v1/{path}", text, content_type="application/json", headers=headers)
        if said.status_code != 200:
            raise RuntimeError(f"{method} {path}: {said.status_code} {said.text[:200]}")
        return said

    def look(self, task: Task, places: Sequence[str]) -> Look:
        """Look at the pages, and at the list of tasks if it is among the places."""
        name, seen = self.world.project.name, Look()
        if OFFERS in places:
            offers = self.call("GET", OFFERS.format(project=name)).json()
            seen.offer = next(one for one in offers if one["task"] == task.value)
        for page in [place for place in places if place != OFFERS]:
            said = self.client.get(page.format(project=name, task=task.value))
            seen.pages[page], seen.headers[page] = said.text, dict(said.headers)
        return seen

    def ask(self, task: Task, ahead_of: str | None = None) -> Any:
        """Ask for an assignment, or for the one after `ahead_of`. Returns the response, or None if nothing is open."""
        asked = {"task": task.value} | ({"ahead_of": ahead_of} if ahead_of else {})
        said = self.call("POST", f"projects/{self.world.project.name}/assignments/", asked)
        return said if said.json()["assignment"] else None

    def submit(self, work: dict[str, Any], answers: list[Any]) -> dict[str, Any]:
        shaped = map(_of_shape, work["questions"], answers)
        replies = [None if answer is None else {"answer": answer, "seconds": 7.5} for answer in shaped]
        receipt: dict[str, Any] = self.call("POST", f"assignments/{work['token']}/submit/", {"answers": replies}).json()
        return receipt

    def give_back(self, work: dict[str, Any]) -> None:
        self.call("POST", f"assignments/{work['token']}/return/")


def watch(
    world: World,
    rounds: int,
    places: Sequence[str],
    before: Sequence[str],
    *,
    step: Callable[[int], object] = int,
) -> list[Shift]:
    """Let every worker do `rounds` assignments of each watched task, and look at the places meanwhile.

    `before`: the places to look at before each assignment.
    """
    rng, shifts = random.Random("shifts"), []
    people = [Person(world, worker) for worker in world.workers]
    for _ in range(rounds):
        for person in people:
            for task in WATCHED:
                if shift := _shift(person, task, rng, places, before):
                    shifts.append(shift)
                step(1)
        tick(project_id=world.project.id)
    return shifts


def _shift(person: Person, task: Task, rng: random.Random, places: Sequence[str], first: Sequence[str]) -> Shift | None:
    before = person.look(task, first)
    said = person.ask(task)
    if said is None:
        return None
    work = said.json()["assignment"]
    during = person.look(task, places)
    answers = answers_to(task, len(work["questions"]), rng, LEFT_OUT)
    receipt = person.submit(work, answers)
    after = person.look(task, places)
    given = sum(answer is not None for answer in answers)
    headers = dict(said.headers)
    return Shift(person.worker.id, task, before, during, after, said.json(), headers, receipt, given, known_in(work))


def _of_shape(question: dict[str, Any], answer: Any) -> Any:
    """Return what a worker answers to a sweep who would answer this to a pair; anything else stays as it is."""
    if not question["sweep"] or answer is None:
        return answer
    return {"same": question["sweep"]["candidates"][: answer == "same"]}


def redraw(world: World, rounds: int, *, step: Callable[[int], object] = int) -> list[Redrawn]:
    """Let every worker return draws, while the next worker answers questions of the same task in between."""
    rng = random.Random("returns")
    found: list[Redrawn] = []
    people = [Person(world, worker) for worker in world.workers]
    for place, person in enumerate(people):
        with rolled_back():  # so that enough is open for everybody
            for turn, task in [(turn, task) for turn in range(rounds) for task in WATCHED]:
                other = people[(place + 1 + turn) % len(people)]
                if other is not person:
                    found += _redraws(person, other, task, rng)
                step(1)
    return found


def _redraws(person: Person, other: Person, task: Task, rng: random.Random) -> list[Redrawn]:
    found: list[Redrawn] = []
    first = person.ask(task)
    for _ in range(RETURNS):
        if first is None:
            return found
        work = first.json()["assignment"]
        person.give_back(work)
        if said := other.ask(task):
            taken = said.json()["assignment"]
            other.submit(taken, answers_to(task, len(taken["questions"]), rng))
        again = person.ask(task)
        if again is not None:
            drawn = again.json()["assignment"]
            seen, seen_again = (list(map(name_of, one["questions"])) for one in (work, drawn))
            found.append(Redrawn(task, seen, seen_again, known_in(work), known_in(drawn)))
        first = again
    if first is not None:
        work = first.json()["assignment"]
        person.submit(work, answers_to(task, len(work["questions"]), rng))
    return found


def leave_out(world: World, rounds: int, *, step: Callable[[int], object] = int) -> dict[tuple[int, str], list[bool]]:
    """Let workers leave out everything, again and again. Returns, by worker and question, whether it was known."""
    shown: dict[tuple[int, str], list[bool]] = {}
    people = [Person(world, worker) for worker in world.workers]
    for person in people:
        for task in WATCHED:
            for _ in range(rounds):
                step(1)
                said = person.ask(task)
                if said is None:
                    break
                work = said.json()["assignment"]
                for question, known in zip(work["questions"], known_in(work), strict=True):
                    shown.setdefault((person.worker.id, name_of(question)), []).append(known)
                person.submit(work, [None] * len(work["questions"]))
    return shown


def name_of(question: dict[str, Any]) -> str:
    """Return a name by which a worker recognises a question: all that it shows, without the signature of links."""
    image = question["image"]["url"].split("?")[0].rpartition("/")[2]
    return json.dumps([image, question["captions"], question["boxes"], question["new_box"]])


def known_in(work: dict[str, Any]) -> list[bool]:
    """Look up in the database which of an assignment's questions are verification questions, by place."""
    kept = Assignment.objects.get(token=work["token"])
    return [str(place) in kept.known for place in range(kept.size)]


def answers_to(task: Task, count: int, rng: random.Random, left_out: float = 0.0) -> list[Any]:
    choices, odds = ANSWERS[task]
    return [None if rng.random() < left_out else rng.choices(choices, odds)[0] for _ in range(count)]
