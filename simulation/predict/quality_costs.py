"""Costs of quality control: answers in tests and to verification questions, with many crews of one kind.

A crew is small, so who fails the test or probation differs much between crews: the mean needs more of them than the
few that play the images, and their differences belong to the interval.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.crew import CrewPlan, Load, Qualified, qualify_for
from simulation.predict.read_project import SoFar

MOST_CREWS, LEAST_CREWS, WORKERS = 12, 3, 240
"""Crews that are looked at: fewer of large ones, which differ less."""


class ToCome(NamedTuple):
    """Answers that quality control still takes, by task."""

    known: Mapping[Task, float]
    """To verification questions, paid like any other."""
    probation: Mapping[Task, float]
    """Those among them before trust."""
    tests: Mapping[Task, float]
    """In tests, which are not paid."""


class QualityCosts:
    """Crews on their way through quality control, kept for all ways to ask that demand the same."""

    def __init__(self, plan: CrewPlan, crowd: str, seed: int) -> None:
        self._plan = plan
        self._seeds = [seed + 1000 * number for number in range(_crews(plan))]
        kinds = kinds_of(plan.workers, plan.bad)
        # The manner of a worker in quality control depends on no image.
        self._crowds = [MixedCrowd(CROWDS[crowd]([], seed), kinds, seed) for seed in self._seeds]
        self._kept: dict[tuple[str, Task, int, int], list[Qualified]] = {}

    def to_come(self, settings: Settings, load: Load, so_far: SoFar) -> list[ToCome]:
        """Return what is to come with each crew. `load`: the real answers of the whole project, with those so far."""
        tries = load.tries(settings, self._plan.workers)
        by_task = {task: self._qualified(task, settings, load, tries) for task in PROTOCOL_TASKS if load.answers[task]}
        found = []
        for number in range(len(self._seeds)):
            known, probation, tests = (dict.fromkeys(PROTOCOL_TASKS, 0.0) for _ in range(3))
            for task, crews in by_task.items():
                one, left = crews[number], load.answers[task] - so_far.real[task] + so_far.unfinished[task]
                if so_far.begun[task] < len(self._plan.new_workers) or tries > 1:
                    tests[task] = max(one.tests - so_far.tests[task], 0.0)
                    known[task] = max(self._known(one, task, load.answers[task]) - so_far.known[task], 0.0)
                    probation[task] = min(max(one.probation - so_far.known[task], 0.0), known[task])
                else:  # everybody has taken the test, and nobody will again
                    known[task] = one.rate * left
            found.append(ToCome(known, probation, tests))
        return found

    def admitted(self, settings: Settings, load: Load) -> dict[Task, float]:
        """Return the share of workers whom quality control admits to each task, 0 to 1."""
        tries = load.tries(settings, self._plan.workers)
        found = {task: self._qualified(task, settings, load, tries) for task in PROTOCOL_TASKS}
        most = self._plan.workers * len(self._seeds)
        return {task: sum(len(crew.allowed) for crew in crews) / most for task, crews in found.items()}

    def _known(self, one: Qualified, task: Task, real: float) -> float:
        most = len(one.allowed) * self._plan.known_questions[task] + one.probation
        return min(one.probation + one.rate * real, most)

    def _qualified(self, task: Task, settings: Settings, load: Load, tries: int) -> list[Qualified]:
        plan, work = self._plan, load.of_each(task, self._plan.workers)
        demanded = repr((settings.trust[task.value], settings.minimum[task.value], settings.below_minimum))
        key = demanded, task, work, tries
        if key not in self._kept:
            self._kept[key] = [
                qualify_for(task, plan, crowd, settings, seed, work=work, tries=tries)
                for crowd, seed in zip(self._crowds, self._seeds, strict=True)
            ]
        return self._kept[key]


def _crews(plan: CrewPlan) -> int:
    """Return how many crews to look at; two where every worker is trusted, as nothing differs then."""
    return max(LEAST_CREWS, min(MOST_CREWS, WORKERS // plan.workers)) if plan.new_workers else 2
