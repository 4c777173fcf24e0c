"""The project that the study watches: drawn scenes that a simulated crowd has half annotated, and a stock from gold."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from pipeline.gold_questions.fill_from_gold import fill_from_gold
from pipeline.gold_questions.known_questions import forget
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from runtime import clock
from studies.half_annotated import half_annotate
from studies.http_load.loads import LEAST
from workers.models import Access, TrustStatus, Worker

REWARD = 37
"""Cents for a full assignment: a number that shares of an assignment do not divide."""
RATE = 0.3
"""The share of verification questions: more than usual, so that fewer assignments are needed."""


@dataclass(frozen=True, slots=True)
class World:
    project: Project
    workers: list[Worker]
    """Trusted people; each may do every task."""


def make_world(
    finished: int,
    begun: int,
    workers: int,
    stock: int,
    step: Callable[[int], object] = lambda judgments: None,
    *,
    sweeps: bool = False,
) -> World:
    """Import drawn scenes with their gold, let a crowd finish some and begin others, and fill the stock.

    The finished ones show all that the pipeline asks; of the begun ones, questions of most tasks are open. `sweeps`:
    link questions may be sweeps.
    """
    reward = {task.value: REWARD for task in PROTOCOL_TASKS}
    strategy = LinkStrategy.ADAPTIVE if sweeps else Settings().strategy
    settings = Settings(trusted_rate=RATE, minimum=LEAST, reward_cents=reward, strategy=strategy, sweeps=sweeps)
    project = open_project(name="leak-study", settings=settings)
    half_annotate(project, finished, begun, step=step)
    fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, stock))
    names = [f"watched-{number:02}" for number in range(workers)]
    return World(project, [admit(project, name) for name in names])


def admit(project: Project, name: str) -> Worker:
    """Make a worker who is trusted in every task."""
    made = Worker.objects.create(name=name, user=User.objects.create(username=name))
    for task in PROTOCOL_TASKS:
        place = {"project_id": project.id, "worker": made, "task": task.value}
        Access.objects.create(**place)
        TrustStatus.objects.create(**place, state="trusted", passed_test=True, trusted_since=clock.now())
    return made


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo afterwards what is done."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    forget()
