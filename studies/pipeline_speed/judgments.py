"""Judgments per second, and how the time per judgment grows with the number of scenes loaded."""

import time
from collections import Counter
from statistics import median
from typing import Any

from tqdm import tqdm

from annotation.models import Project
from simulation.simulate import simulate
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.load_scenes import load_scenes
from studies.pipeline_speed.scratch import Scratch, scratch_databases

CROWD = "paper"
PER_SECOND_GOAL = 300.0
RATIO_GOAL = 1.2


def judgments_per_second(*, scenes: int) -> Figure:
    """A simulated crowd annotates `scenes` scenes to the end: lease, submit, follow-ups, tick and its own thinking."""
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
        "crowd": f"{CROWD} (simulated; the time its workers take to think is in the figure)",
    }
    what = "Judgments through lease and submit, follow-ups and tick() included"
    return Figure("judgments", what, total / outcome.seconds, "per second", PER_SECOND_GOAL, False, details)


def growth(*, few: int, many: int, judgments: int, turns: int) -> Figure:
    """Time per judgment with `many` scenes loaded over that with `few`, each in a database of its own.

    The two take turns, `judgments` / `turns` at a time, so that a slow moment of the machine slows down both.
    """
    with scratch_databases(2) as databases:
        sides = [_Side(database, count) for database, count in zip(databases, (few, many), strict=True)]
        with tqdm(total=2 * judgments, unit="judgment", desc="judge in turns", disable=None) as bar:
            for turn in range(turns):
                # A B, B A, A B, ...: neither always goes first.
                for side in sides if turn % 2 == 0 else reversed(sides):
                    bar.update(side.judge(turn, -(-judgments // turns)))
    small, large = sides
    ratios = [b / a for a, b in zip(small.per_judgment, large.per_judgment, strict=True)]
    details = {
        f"with {few:,} scenes": small.details(),
        f"with {many:,} scenes": large.details(),
        "ratio of each turn": ratios,
        "median ratio of the turns": median(ratios),
        "crowd": f"{CROWD} (simulated); loading the scenes and opening their first questions is not in the figure",
    }
    what = f"Time per judgment with {many:,} scenes loaded over that with {few:,}"
    return Figure("growth", what, large.milliseconds / small.milliseconds, "times", RATIO_GOAL, True, details)


class _Side:
    """One of the two databases, with what was measured in it."""

    def __init__(self, database: Scratch, scenes: int) -> None:
        self.database, self.seconds, self.tasks = database, 0.0, Counter[str]()
        self.per_judgment: list[float] = []
        database.use()
        self.project: Project = load_scenes(scenes)

    def judge(self, turn: int, wanted: int) -> int:
        """About `wanted` judgments; returns how many they were."""
        self.database.use()
        outcome = simulate(project=self.project, crowd=CROWD, seed=turn, most=wanted)
        total = outcome.judgments.total()
        if not total:
            raise ValueError(f"{self.project.name} has too few questions for so many judgments: load more scenes.")
        self.seconds += outcome.seconds
        self.tasks += outcome.judgments
        self.per_judgment.append(outcome.seconds / total)
        return total

    @property
    def milliseconds(self) -> float:
        """Per judgment."""
        return 1000 * self.seconds / self.tasks.total()

    def details(self) -> dict[str, Any]:
        return {"milliseconds per judgment": self.milliseconds, "judgments": self.tasks.total(), **self.tasks}
