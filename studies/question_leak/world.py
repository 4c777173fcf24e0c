"""The project that the study watches: drawn scenes that a simulated crowd has half annotated, and a stock from gold."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings_versions import current_settings, open_project
from pipeline.stock.stock_cache import forget
from pipeline.stock.stock_from_gold import fill_from_gold
from pipeline.tick import tick
from scenes.make import make_scene
from simulation.simulate import simulate
from studies.http_load.loads import LEAST
from upkeep import clock
from workers.models import Access, TrustStatus, Worker

SEED = 7
BEGUN = 24
"""Judgments that the crowd gives about each scene that it only begins."""
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
    finished: int, begun: int, workers: int, stock: int, step: Callable[[int], object] = lambda judgments: None
) -> World:
    """Import drawn scenes with their gold, let a crowd finish some and begin others, and fill the stock.

    The finished ones show all that the pipeline asks; of the begun ones, questions of most tasks are open.
    """
    reward = {task.value: REWARD for task in PROTOCOL_TASKS}
    settings = ProtocolSettings(trusted_rate=RATE, minimum=LEAST, reward_cents=reward)
    project = open_project(name="leak-study", settings=settings)
    _import(project, range(finished))
    simulate(project=project, crowd="paper", seed=SEED, step=step)
    _import(project, range(finished, finished + begun))
    simulate(project=project, crowd="paper", seed=SEED, most=BEGUN * begun, step=step)
    fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, stock))
    names = [f"watched-{number:02}" for number in range(workers)]
    return World(project, [admit(project, name, user=User.objects.create(username=name)) for name in names])


def _import(project: Project, numbers: Sequence[int]) -> None:
    version, _ = current_settings(project.id)
    for number in numbers:
        scene = make_scene(SEED, number).image
        import_image(project, number, scene, picture=f"scenes/{number:05}.jpg", gold=True, settings_version=version)
    tick(project_id=project.id)


def admit(project: Project, name: str, tasks: Iterable[Task] = PROTOCOL_TASKS, user: User | None = None) -> Worker:
    """Make a worker who is trusted in these tasks."""
    made = Worker.objects.create(name=name, user=user)
    for task in tasks:
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
