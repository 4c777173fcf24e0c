"""Judgments per second, and how the time per judgment grows with the number of scenes loaded."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import Any

from django.db import transaction
from tqdm import tqdm

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.tick import tick
from simulation.scenes.scene import Scene, make_scenes
from simulation.simulate import simulate
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.scratch import Scratch, scratch_databases

CROWD = "paper"
PER_SECOND_GOAL = 300.0
RATIO_GOAL = 1.2
SEED = 1
SCENES_PER_TRANSACTION = 100


def judgments_per_second(*, scenes: int) -> Figure:
    """Let a simulated crowd annotate `scenes` scenes to the end, and count its judgments per second."""
    with scratch_databases() as (database,):
        database.use()
        project = load_scenes(scenes)
        with tqdm(unit="judgment", desc="judge", disable=None) as bar:
            processor = time.process_time()
            outcome = simulate(project=project, crowd=CROWD, step=bar.update)
            processor = time.process_time() - processor
    total = outcome.judgments.total()
    details = {
        "judgments": total,
        "seconds": outcome.seconds,
        "processor seconds": processor,
        "judgments per task": dict(outcome.judgments),
        "scenes": scenes,
        "crowd": f"{CROWD} (simulated; the figure includes the time to compute its answers)",
    }
    what = "Judgments through lease and submit, follow-ups and tick() included"
    return Figure("judgments", what, total / outcome.seconds, "per second", PER_SECOND_GOAL, False, details)


def growth(*, few: int, many: int, judgments: int, turns: int) -> Figure:
    """Divide the time per judgment with `many` scenes loaded by the time with `few`, each in its own database.

    The databases take turns of `judgments` / `turns` judgments, so that a slow moment of the machine slows down both.
    """
    with scratch_databases(2) as databases:
        sides = [_Side(database, count) for database, count in zip(databases, (few, many), strict=True)]
        with tqdm(total=2 * judgments, unit="judgment", desc="judge in turns", disable=None) as bar:
            for turn in range(turns):
                # Turns go A B, B A, A B, ..., so that neither always comes first.
                for side in sides if turn % 2 == 0 else reversed(sides):
                    bar.update(side.judge(turn, -(-judgments // turns)))
    small, large = sides
    ratios = [b / a for a, b in zip(small.per_judgment, large.per_judgment, strict=True)]
    details = {
        f"with {few:,} scenes": small.details(),
        f"with {many:,} scenes": large.details(),
        "ratio of each turn": ratios,
        "median ratio of the turns": median(ratios),
        "crowd": f"{CROWD} (simulated); the figure excludes loading the scenes and opening their first questions",
    }
    what = f"Time per judgment with {many:,} scenes loaded over that with {few:,}"
    return Figure("growth", what, large.milliseconds / small.milliseconds, "times", RATIO_GOAL, True, details)


class _Side:
    """One of the two databases, and what was measured in it."""

    def __init__(self, database: Scratch, scenes: int) -> None:
        self.database, self.seconds, self.tasks = database, 0.0, Counter[str]()
        self.per_judgment: list[float] = []
        database.use()
        self.project: Project = load_scenes(scenes)

    def judge(self, turn: int, wanted: int) -> int:
        """Give about `wanted` judgments. Returns how many they were."""
        self.database.use()
        outcome = simulate(project=self.project, crowd=CROWD, seed=turn, most=wanted)
        total = outcome.judgments.total()
        if not total:
            raise ValueError(f"{self.project.name} has too few questions for {wanted} judgments: load more scenes.")
        self.seconds += outcome.seconds
        self.tasks += outcome.judgments
        self.per_judgment.append(outcome.seconds / total)
        return total

    @property
    def milliseconds(self) -> float:
        """Time per judgment."""
        return 1000 * self.seconds / self.tasks.total()

    def details(self) -> dict[str, Any]:
        return {"milliseconds per judgment": self.milliseconds, "judgments": self.tasks.total(), **self.tasks}


def load_scenes(count: int) -> Project:
    """Load the first `count` drawn scenes of a fixed seed, without pictures, with gold and their first questions."""
    project = open_project(name=f"scenes-{count}")
    version, _ = current_settings(project.id)
    with tqdm(total=count, unit="scene", desc=f"load {count:,} scenes", disable=None) as bar:
        for part in _parts(make_scenes(SEED, count)):
            with transaction.atomic():
                for scene in part:
                    import_image(project, scene.index, scene.image, picture="", gold=True, settings_version=version)
            bar.update(len(part))
    tick(project_id=project.id)
    return project


def _parts(scenes: Iterator[Scene]) -> Iterator[list[Scene]]:
    while part := list(islice(scenes, SCENES_PER_TRANSACTION)):
        yield part
