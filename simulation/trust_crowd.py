"""Virtual workers for the study of trust: honest, careless, guessing, one-button, and rings that share answers.

No figure made with them was measured with people.
"""

import random
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from statistics import NormalDist

from pipeline.rules.known.stock_mix import NONE_MISSING_TENTHS
from pipeline.rules.settings.protocol import BATCH
from pipeline.rules.tasks.task import Task
from simulation.box_crowd import QUALITY
from simulation.link_crowd import WORKER_SD, intercept, sigmoid, stable_uniform

HONEST_QUALITY = {Task.COREFERENCE_LINK: 0.906, **QUALITY}
RING = 10
"""Workers who share their answers."""
STANDARD = NormalDist()


class WorkerKind(StrEnum):
    HONEST = "honest"
    CARELESS_75 = "careless, 75 % right"
    CARELESS_65 = "careless, 65 % right"
    GUESS_55 = "guessing, 55 % right"
    RANDOM = "random"
    ONE_BUTTON = "one button"
    RING = "ring that shares answers"
    COPYING = "ring that copies from good members"


CHANCE = (WorkerKind.RANDOM, WorkerKind.ONE_BUTTON, WorkerKind.RING)
GUESSING = (*CHANCE, WorkerKind.GUESS_55, WorkerKind.COPYING)
CARELESS = (WorkerKind.CARELESS_75, WorkerKind.CARELESS_65)
ACCURACY = {WorkerKind.CARELESS_75: 0.75, WorkerKind.CARELESS_65: 0.65, WorkerKind.GUESS_55: 0.55}
"""Half of everything is right by chance: the worst case, two answers and half of gold each."""
NOTHING_MISSING = NONE_MISSING_TENTHS / 10
"""Of the known questions of box drawing, at most: the only button that is right without a drawn box."""
TESTS_FROM = 10_000
"""Questions of the qualification test are numbered from here on; verification questions from 0."""

Mix = dict[WorkerKind, float]
MIXES: dict[str, Mix] = {
    "all honest": {WorkerKind.HONEST: 1.0},
    "30 % bad": {WorkerKind.HONEST: 0.7} | dict.fromkeys((*CARELESS, *CHANCE), 0.06),
    "30 % guess": {WorkerKind.HONEST: 0.7} | dict.fromkeys(CHANCE, 0.1),
}
"""Shares of all who start, with the qualification test."""


@dataclass(frozen=True, slots=True)
class Person:
    """One virtual worker on one task."""

    task: Task
    kind: WorkerKind
    number: int
    seed: int
    fixed: float | None = None
    """An accuracy that replaces the kind's own."""
    notes: dict[int, bool] = field(default_factory=dict, hash=False)
    """Whether the answers copied from others are right, by question."""

    @property
    def accuracy(self) -> float:
        """The share of right answers in the long run."""
        if self.fixed is not None:
            return self.fixed
        if self.kind is WorkerKind.HONEST:
            return _honest_accuracy(self.task, self.number, self.seed)
        if self.kind is WorkerKind.ONE_BUTTON and self.task is Task.BOX_DRAWING:
            return NOTHING_MISSING
        return ACCURACY.get(self.kind, 0.5)

    @property
    def secret(self) -> str:
        """What the draws of this worker's places begin with."""
        return f"{self.seed} {self.kind} {self.number}"

    def stock(self, size: int) -> list[int]:
        """The task's verification questions in the order in which this worker meets them."""
        return random.Random(f"{self.seed} {self.task} {self.kind} {self.number}").sample(range(size), size)

    def tests(self, size: int) -> list[int]:
        """The questions of the qualification test, in the order in which this worker meets them."""
        return [TESTS_FROM + question for question in self.stock(size)]

    def is_right(self, question: int) -> bool:
        """Whether the answer to a known question is right; a fixed share of each ten ask for the one button."""
        if question in self.notes:
            return self.notes[question]
        if self.kind is WorkerKind.ONE_BUTTON:
            return question % 10 < 10 * self.accuracy
        member = self.number // RING if self.kind is WorkerKind.RING else self.number
        return stable_uniform(self.seed, self.task.value, self.kind.value, member, question) < self.accuracy

    def draws_box(self) -> bool:
        """Whether real answers are boxes, which others judge: not where the one button is "none missing"."""
        return self.task is Task.BOX_DRAWING and self.kind is not WorkerKind.ONE_BUTTON


def people(task: Task, kind: WorkerKind, count: int, seed: int) -> list[Person]:
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
