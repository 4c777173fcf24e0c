"""Virtual workers with good and bad manners: honest, careless, guessing, one-button, and rings that share answers.

No figure that they produce was measured with people.
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import NormalDist

from pipeline.known.question_mix import NONE_MISSING_TENTHS
from pipeline.protocol.tasks.task import Task
from simulation.box_crowd import QUALITY
from simulation.link_crowd import WORKER_SD, intercept, stable_uniform
from workers.rules.share import sigmoid

HONEST_QUALITY = {Task.COREFERENCE_LINK: 0.906, **QUALITY}
RING = 10
"""The number of workers who share their answers."""
STANDARD = NormalDist()


class WorkerKind(StrEnum):
    """The manner in which a virtual worker answers."""

    HONEST = "honest"
    CARELESS_75 = "careless, 75 % right"
    CARELESS_65 = "careless, 65 % right"
    RANDOM = "random"
    ONE_BUTTON = "one button"
    RING = "ring that shares answers"


CHANCE = (WorkerKind.RANDOM, WorkerKind.ONE_BUTTON, WorkerKind.RING)
CARELESS = (WorkerKind.CARELESS_75, WorkerKind.CARELESS_65)
ACCURACY = {WorkerKind.CARELESS_75: 0.75, WorkerKind.CARELESS_65: 0.65}
"""The accuracy of these kinds. Guessing workers are right on half: two answers, equally frequent in gold."""
NOTHING_MISSING = NONE_MISSING_TENTHS / 10
"""The largest share of known box drawing questions for which "none missing" is right."""
TESTS_FROM = 10_000
"""The first number of the qualification test's questions. Verification questions count from 0."""


@dataclass(frozen=True, slots=True)
class Person:
    """One virtual worker on one task."""

    task: Task
    kind: WorkerKind
    number: int
    seed: int
    fixed: float | None = None
    """An accuracy instead of the kind's own."""

    @property
    def accuracy(self) -> float:
        """Return the share of right answers in the long run."""
        if self.fixed is not None:
            return self.fixed
        if self.kind is WorkerKind.HONEST:
            return _honest_accuracy(self.task, self.number, self.seed)
        if self.kind is WorkerKind.ONE_BUTTON and self.task is Task.BOX_DRAWING:
            return NOTHING_MISSING
        return ACCURACY.get(self.kind, 0.5)

    @property
    def secret(self) -> str:
        """Return the seed for the places of this worker's verification questions."""
        return f"{self.seed} {self.kind} {self.number}"

    def stock(self, size: int) -> list[int]:
        """Return the task's verification questions in the order in which this worker meets them."""
        return random.Random(f"{self.seed} {self.task} {self.kind} {self.number}").sample(range(size), size)

    def tests(self, size: int) -> list[int]:
        """Return the questions of the qualification test in the order in which this worker meets them."""
        return [TESTS_FROM + question for question in self.stock(size)]

    def is_right(self, question: int) -> bool:
        """Tell whether the worker answers a known question right. One button is right on a fixed share of each ten."""
        if self.kind is WorkerKind.ONE_BUTTON:
            return question % 10 < 10 * self.accuracy
        member = self.number // RING if self.kind is WorkerKind.RING else self.number
        return stable_uniform(self.seed, self.task.value, self.kind.value, member, question) < self.accuracy

    def draws_box(self) -> bool:
        """Tell whether the worker's real answers are boxes, which others judge. The one button is "none missing"."""
        return self.task is Task.BOX_DRAWING and self.kind is not WorkerKind.ONE_BUTTON


@cache
def _honest_accuracy(task: Task, number: int, seed: int) -> float:
    drawn = STANDARD.inv_cdf(stable_uniform(seed, "honest", task.value, number))
    return 1 - sigmoid(_error_logit(HONEST_QUALITY[task]) + WORKER_SD * drawn)


@cache
def _error_logit(quality: float) -> float:
    return intercept([0.0], 1 - quality)
