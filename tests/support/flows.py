"""Helpers for flows: a database state made once for all tests of a module, and parts of real sources."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import Project
from exchange.import_dataset import import_dataset
from exchange.names import natural_key
from pipeline.settings.settings import Settings
from simulation.scenes.scene import write_source
from simulation.score import SimulationScore, score
from simulation.simulate import RunOutcome, load_gold, simulate

FEWER = 30
"""The number of real images in tests that need not have all."""


@dataclass
class Run:
    """A project that a simulated crowd has annotated to its end."""

    project: Project
    outcome: RunOutcome
    score: SimulationScore


def annotated(name: str, source: Path, crowd: str, seed: int, settings: Settings | None = None) -> Run:
    """Import the source with its gold, and let the crowd annotate it."""
    import_dataset(project_name=name, path=source, gold=True, settings=settings)
    project = Project.objects.get(name=name)
    outcome = simulate(project=project, crowd=crowd, seed=seed, step=keep_plans_good())
    return Run(project, outcome, score(project, load_gold(project)))


@contextmanager
def made_once(blocker: Any) -> Iterator[None]:
    """Keep what the block writes for every test of the module, and roll it back after the last."""
    with blocker.unblock():
        connection.ensure_connection()
        with transaction.atomic():
            yield
            transaction.set_rollback(True)


def keep_plans_good() -> Callable[[int], None]:
    """Return a step for `simulate` that updates PostgreSQL's statistics now and then.

    PostgreSQL does so itself for committed rows. In one long transaction it would plan as if the tables were empty.
    """
    rounds = itertools.count()

    def step(_: int) -> None:
        if connection.vendor == "postgresql" and next(rounds) % 10 == 0:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")

    return step


def real_or_drawn(request: Any, folder: Path, *, real: tuple[int, int], drawn: tuple[int, int]) -> Path:
    """Return a source in the folder, as the fixture's parameter says: images of the real data, or drawn scenes.

    `real`: how many images, and after how many others. `drawn`: the seed, and how many scenes.
    """
    if request.param == "scenes":
        write_source(folder / "scenes", *drawn, pictures=False)
        return folder / "scenes"
    count, after = real
    source = of_real_data(request.getfixturevalue("data_folder"), "flickr30k-entities")
    return first_images(source, folder / "part", count, after=after)


def of_real_data(data_folder: Path, name: str) -> Path:
    """Return a folder of the real data; the test is skipped where it is missing."""
    if not (data_folder / name).is_dir():
        pytest.skip(f"no real data at {data_folder / name}")
    return data_folder / name


def first_images(source: Path, target: Path, count: int, *, after: int = 0) -> Path:
    """Copy the first `count` images of a Flickr30k Entities source without pictures, or those after the first few."""
    names = sorted((file.stem for file in (source / "Sentences").glob("*.txt")), key=natural_key)[after : after + count]
    for folder, ending in (("Sentences", "txt"), ("Annotations", "xml")):
        (target / folder).mkdir(parents=True)
        for name in names:
            shutil.copy(source / folder / f"{name}.{ending}", target / folder)
    return target
