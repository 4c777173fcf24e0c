"""The batch after a short one: whether its places, or the length of the short one, tell verification questions."""

import random
from collections.abc import Callable

from pipeline.asking.free_questions import FreeQuestions
from pipeline.models import Question
from pipeline.rules.tasks.task import Task
from studies.question_leak.browser_view import Row
from studies.question_leak.evidence import Evidence, strongest
from studies.question_leak.watch import WATCHED, Person, answers_to, known_in
from studies.question_leak.world import World, rolled_back

LEFT = 2
"""Real questions that are free when a worker asks for a short batch."""


def after_short(world: World, rounds: int, *, step: Callable[[int], object] = int) -> Evidence:
    """Let every worker answer `rounds` short batches of each watched task, and each time the batch after it."""
    lot, rows, known, groups = random.Random("short"), list[Row](), list[float](), list[object]()
    for worker in world.workers:
        person = Person(world, worker)
        with rolled_back():  # so that enough is open for everybody
            for task in [task for _ in range(rounds) for task in WATCHED]:
                _leave(person, task)
                short = _do(person, task, lot)
                Question.objects.filter(project=world.project).update(for_people=True)
                for place, one in enumerate(_do(person, task, lot) if short else []):
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


def _do(person: Person, task: Task, lot: random.Random) -> list[bool]:
    """Do a batch. Returns which of its questions were known, by place."""
    said = person.ask(task)
    if said is None:
        return []
    work = said.json()["assignment"]
    person.submit(work, answers_to(task, len(work["questions"]), lot))
    return known_in(work)
