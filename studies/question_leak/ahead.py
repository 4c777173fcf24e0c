"""Batches that show more by what came before them: those given ahead of time, and those after a short one."""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.db import connection

from pipeline.asking.draw_items import FreeQuestions
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState, Task
from studies.question_leak.evidence import Evidence, Row, strongest, strongest_part
from studies.question_leak.watch import WATCHED, Person, answers_to, known_in, name_of
from studies.question_leak.world import World, rolled_back
from workers.models import TrustStatus

CHOSEN = 0.6
"""The share of assignments whose worker asks for the next one before submitting; the others ask afterwards."""

ENOUGH = 3
"""Batches of open questions that a task must have to be watched."""
LEFT = 2
"""Real questions that are free when a worker asks for a short batch."""


@dataclass(slots=True)
class Batch:
    """An assignment as a worker got it. Statements stand for the time that the service took: they do not vary alone."""

    questions: list[str]
    promised: int
    seconds_left: int
    keys: int
    statements: int
    known: list[bool]
    """From the database, like all that is compared with what the worker sees."""


@dataclass(slots=True)
class Following:
    """An assignment, and the one after it: as it was given ahead of time, if asked for, and as it was begun."""

    task: Task
    size: int
    known: int
    """Verification questions of the first assignment."""
    wrong: int
    """Those that the worker answered wrong, after the next one was given."""
    asked_ahead: bool
    ahead: Batch | None
    begun: Batch | None

    @property
    def group(self) -> Hashable:
        return self.task, self.size


def follow(world: World, rounds: int, *, step: Callable[[int], object] = int) -> list[Following]:
    """Let every worker do an assignment of each plentiful task and begin the next one, `rounds` times.

    All is undone after each time, so that no task runs out of questions, and other questions are drawn for the next.
    """
    rng = random.Random("ahead")
    found: list[Following] = []
    people = [Person(world, worker) for worker in world.workers]
    for turn, person, task in product(range(rounds), people, _plentiful(world)):
        step(1)
        with rolled_back():
            TrustStatus.objects.filter(worker=person.worker, task=task.value).update(rounds=turn)
            if said := person.ask(task):
                found.append(_follow(person, task, said.json()["assignment"], rng))
    return found


def _plentiful(world: World) -> list[Task]:
    """Return the watched tasks in which two batches do not use up the open questions.

    When they run out, a batch is as large as what is left. A worker meets that once and cannot tell by it what was
    known; here the same state is met again and again.
    """
    found = []
    _, settings = current_settings(world.project.id)
    for task in WATCHED:
        open_ones = world.project.questions.filter(task=task.value, state=QuestionState.OPEN.value, for_people=True)
        if open_ones.count() >= ENOUGH * settings.batch[task.value]:
            found.append(task)
    return found


def _follow(person: Person, task: Task, work: dict[str, Any], rng: random.Random) -> Following:
    asks, ahead, known = rng.random() < CHOSEN, None, known_in(work)
    if asks:
        ahead = _batch(*_counted(lambda: person.ask(task, ahead_of=work["token"])))
    person.submit(work, answers_to(task, len(known), rng))
    said, statements = _counted(lambda: person.ask(task))
    wrong = Judgment.objects.filter(assignment__token=work["token"], right=False).count()
    return Following(task, len(known), sum(known), wrong, asks, ahead, _batch(said, statements))


def _counted(call: Callable[[], Any]) -> tuple[Any, int]:
    """Return the response, and how many statements the service ran for it."""
    ran = []

    def note(execute: Callable[..., Any], *args: Any) -> Any:
        ran.append(1)
        return execute(*args)

    with connection.execute_wrapper(note):
        return call(), len(ran)


def _batch(said: Any, statements: int) -> Batch | None:
    if said is None:
        return None
    work = said.json()["assignment"]
    names = [name_of(question) for question in work["questions"]]
    return Batch(names, work["reward_cents"], work["seconds_left"], len(work), statements, known_in(work))


def ahead(followed: Sequence[Following]) -> Evidence:
    """Compare batches that were given ahead of time with verification questions, and with how these were answered."""
    return strongest_part([_of_present(followed), _share(followed), _of_batch(followed), _kept(followed)])


def _of_present(followed: Sequence[Following]) -> Evidence:
    """Compare what follows an assignment with the verification questions that were answered wrong in it."""
    asked = [one for one in followed if one.asked_ahead]
    rows = []
    for one in asked:
        seen = (("ahead", one.ahead), ("begun", one.begun))
        row = {f"{when} {name}": value for when, batch in seen for name, value in _seen(batch).items()}
        row["begun as it was given"] = float(_names(one.ahead) == _names(one.begun))
        rows.append(row)
    # Right answers differ by task, and so does how many questions were known: wrong ones among as many.
    groups: list[Hashable] = [one.group for one in asked]
    return strongest_part(
        [
            strongest(rows, [float(one.known) for one in asked], groups),
            strongest(rows, [float(one.wrong) for one in asked], groups),
        ]
    )


def _share(followed: Sequence[Following]) -> Evidence:
    """Compare how many verification questions are in batches given ahead of time, and in those asked for afterwards."""
    begun = [(one, one.begun) for one in followed if one.begun]
    rows: list[Row] = [{"given ahead of time": float(one.asked_ahead)} for one, _ in begun]
    groups: list[Hashable] = [(one.task, len(batch.questions)) for one, batch in begun]
    return strongest(rows, [float(sum(batch.known)) for _, batch in begun], groups)


def _of_batch(followed: Sequence[Following]) -> Evidence:
    """Compare what comes with a batch given ahead of time with its own verification questions."""
    batches = [(one.task, one.ahead) for one in followed if one.ahead]
    groups: list[Hashable] = [(task, len(batch.questions)) for task, batch in batches]
    return strongest([_seen(batch) for _, batch in batches], [float(sum(batch.known)) for _, batch in batches], groups)


def _kept(followed: Sequence[Following]) -> Evidence:
    """Compare which questions of a batch given ahead of time are there, at their places, when it is begun."""
    rows: list[Row] = []
    known: list[float] = []
    groups: list[Hashable] = []
    for one in followed:
        for place, name in enumerate(_names(one.ahead)):
            later = _names(one.begun)
            gone, moved = name not in later, later[place : place + 1] != [name]
            rows.append({"gone when begun": float(gone), "moved": float(moved)})
            known.append(float(bool(one.ahead and one.ahead.known[place])))
            groups.append(one.task)
    return strongest(rows, known, groups)


def _names(batch: Batch | None) -> list[str]:
    return batch.questions if batch else []


def _seen(batch: Batch | None) -> Row:
    if batch is None:
        return {"missing": 1.0}
    return {
        "questions": float(len(batch.questions)),
        "promised": float(batch.promised),
        "seconds left": float(round(batch.seconds_left, -1)),
        "keys": float(batch.keys),
        "statements": float(batch.statements),
    }


def after_short(world: World, rounds: int, *, step: Callable[[int], object] = int) -> Evidence:
    """Let every worker answer `rounds` short batches of each watched task, and each time the batch after it."""
    rng, rows, known, groups = random.Random("short"), list[Row](), list[float](), list[object]()
    for worker in world.workers:
        person = Person(world, worker)
        with rolled_back():  # so that enough is open for everybody
            for task in [task for _ in range(rounds) for task in WATCHED]:
                _leave(person, task)
                short = _do(person, task, rng)
                Question.objects.filter(project=world.project).update(for_people=True)
                for place, one in enumerate(_do(person, task, rng) if short else []):
                    rows.append({"first after a short batch": float(not place), "length before": float(len(short))})
                    known.append(float(one))
                    groups.append(task)
                step(1)
    return strongest(rows, known, groups)


def _leave(person: Person, task: Task) -> None:
    """Leave a few questions free for this worker."""
    free = FreeQuestions(person.world.project.pk, task, person.worker.pk, True).window(LEFT)
    of_task = Question.objects.filter(project=person.world.project, task=task.value)
    of_task.exclude(id__in=[number for number, _ in free]).update(for_people=False)


def _do(person: Person, task: Task, rng: random.Random) -> list[bool]:
    """Do a batch. Returns which of its questions were known, by place."""
    said = person.ask(task)
    if said is None:
        return []
    work = said.json()["assignment"]
    person.submit(work, answers_to(task, len(work["questions"]), rng))
    return known_in(work)
