"""Virtual workers for the study of trust: honest, careless, guessing, one-button, and rings that share answers.

No figure made with them was measured with people.
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import NormalDist

from pipeline.rules.settings import BATCH
from pipeline.rules.task import Task
from simulation.box_crowd import QUALITY
from simulation.link_crowd import WORKER_SD, intercept, sigmoid, stable_uniform

HONEST_QUALITY = {Task.COREFERENCE_LINK: 0.906, **QUALITY}
RING = 10
"""Workers who share their answers."""
STANDARD = NormalDist()


class Kind(StrEnum):
    HONEST = "honest"
    CARELESS_75 = "careless, 75 % right"
    CARELESS_65 = "careless, 65 % right"
    GUESS_55 = "guessing, 55 % right"
    RANDOM = "random"
    ONE_BUTTON = "one button"
    RING = "ring that shares answers"


CHANCE = (Kind.RANDOM, Kind.ONE_BUTTON, Kind.RING)
CARELESS = (Kind.CARELESS_75, Kind.CARELESS_65)
ACCURACY = {Kind.CARELESS_75: 0.75, Kind.CARELESS_65: 0.65, Kind.GUESS_55: 0.55}
"""Half of everything is right by chance: the worst case, two answers and half of gold each."""

Mix = dict[Kind, float]
MIXES: dict[str, Mix] = {
    "all honest": {Kind.HONEST: 1.0},
    "30 % bad": {Kind.HONEST: 0.7} | dict.fromkeys((*CARELESS, *CHANCE), 0.06),
    "30 % guess": {Kind.HONEST: 0.7} | dict.fromkeys(CHANCE, 0.1),
}
"""Shares of all who pass the qualification test."""


@dataclass(frozen=True, slots=True)
class Person:
    """One virtual worker on one task."""

    task: Task
    kind: Kind
    number: int
    seed: int
    fixed: float | None = None
    """An accuracy that replaces the kind's own."""

    @property
    def accuracy(self) -> float:
        """The share of right answers in the long run."""
        if self.fixed is not None:
            return self.fixed
        if self.kind is Kind.HONEST:
            return _honest_accuracy(self.task, self.number, self.seed)
        return ACCURACY.get(self.kind, 0.5)

    def stock(self, size: int) -> list[int]:
        """The task's verification questions in the order in which this worker meets them."""
        return random.Random(f"{self.seed} {self.task} {self.kind} {self.number}").sample(range(size), size)

    def is_right(self, question: int) -> bool:
        """Whether the answer to a verification question is right; a fixed share of each ten ask for the one button."""
        if self.kind is Kind.ONE_BUTTON:
            return question % 10 < 10 * self.accuracy
        member = self.number // RING if self.kind is Kind.RING else self.number
        return stable_uniform(self.seed, self.task.value, self.kind.value, member, question) < self.accuracy

    def draws_box(self) -> bool:
        """Whether real answers are boxes, which others judge: not where the one button is "none missing"."""
        return self.task is Task.BOX_DRAWING and self.kind is not Kind.ONE_BUTTON


def people(task: Task, kind: Kind, count: int, seed: int) -> list[Person]:
    return [Person(task, kind, number, seed) for number in range(count)]


def batch_size(task: Task) -> int:
    """Questions per assignment [paper table 3]."""
    return BATCH[task]


@cache
def _honest_accuracy(task: Task, number: int, seed: int) -> float:
    drawn = STANDARD.inv_cdf(stable_uniform(seed, "honest", task.value, number))
    return 1 - sigmoid(_error_logit(HONEST_QUALITY[task]) + WORKER_SD * drawn)


@cache
def _error_logit(quality: float) -> float:
    return intercept([0.0], 1 - quality)
