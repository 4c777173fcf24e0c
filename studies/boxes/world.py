"""Simulated worlds of chains: how many boxes each truly has, what its phrase says, and who answers.

No figure of these worlds was measured with people.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import NormalDist, fmean
from typing import NamedTuple

from pipeline.rules.boxing.box_prior import BoxPrior
from pipeline.rules.boxing.worker_shift import box_shift
from pipeline.rules.tasks.task import Task
from workers.rules.share import sigmoid

ERRORS = {"requirement": 0.116, "drawing": 0.176, "quality": 0.12, "coverage": 0.108}
"""Shares of wrong answers [paper table 3]."""
PHRASES = {
    "one": ("a", "dog"),
    "plural": ("some", "dogs"),
    "pair": ("blue", "jeans"),
    "group": ("a", "crowd"),
    "mass": ("green", "grass"),
}
"""A phrase of each class that names no number."""
NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST_BOXES = 12
MOST_WRONG = 0.45
"""No worker errs on more of a chain's questions than this: what is right is itself the consensus of a crowd."""


@dataclass(frozen=True, eq=False)
class World:
    """The parameters of a world; all shares are from 0 to 1. A world equals itself alone, so it can be a key."""

    types: Mapping[str, float]
    """Of each type, its weight among the chains."""
    none: Mapping[str, float]
    """Of each type, the share of chains without a box."""
    several: Mapping[str, float]
    """Of each type, the share of chains with several boxes among those with a box."""
    tail: float
    """Of the chains with n boxes or more, from 2 up, the share that has more than n."""
    phrases_of_one: Mapping[str, float]
    """Of chains with one box or none, the share of each phrase class; "number" is a number that is wrong."""
    phrases_of_several: Mapping[str, float]
    """The same of chains with several boxes; here "number" is the true one, but for the share `number_wrong`."""
    number_wrong: float
    errors: Mapping[str, float]
    worker_sd: float
    """Standard deviation over workers of the logit of an error, for each task."""
    chain_sd: float
    """Standard deviation over chains of the same logit."""
    none_though_missing: float
    """The share of wrong drawing answers, while a box is missing, that say that none is."""
    workers: int = 60


TYPES = {
    "people": 0.233,
    "clothing": 0.165,
    "body parts": 0.05,
    "animals": 0.02,
    "vehicles": 0.022,
    "instruments": 0.007,
    "scene": 0.183,
    "other": 0.32,
}
"""The chains of each type [paper table 4], in shares."""
FIRST = World(
    types=TYPES,
    none=dict.fromkeys(TYPES, 0.02) | {"scene": 0.56, "other": 0.27, "body parts": 0.05},
    several=dict.fromkeys(TYPES, 0.22) | {"people": 0.4, "clothing": 0.21, "scene": 0.12},
    tail=0.5,
    phrases_of_one={"one": 0.85, "plural": 0.05, "pair": 0.03, "group": 0.02, "mass": 0.05},
    phrases_of_several={"one": 0.06, "number": 0.34, "plural": 0.46, "pair": 0.03, "group": 0.11},
    number_wrong=0.1,
    errors=ERRORS,
    worker_sd=0.7,
    chain_sd=0.5,
    none_though_missing=0.5,
)
"""20 % of the chains without a box, 21 % with several, 1.27 boxes a chain; errors of table 3."""
SECOND = World(
    types=dict.fromkeys(TYPES, 0.09) | {"other": 0.3, "animals": 0.15, "scene": 0.1},
    none=dict.fromkeys(TYPES, 0.05) | {"scene": 0.75, "other": 0.4, "clothing": 0.1},
    several=dict.fromkeys(TYPES, 0.3) | {"animals": 0.45, "other": 0.35},
    tail=0.4,
    phrases_of_one={"one": 0.74, "number": 0.02, "plural": 0.12, "pair": 0.04, "group": 0.03, "mass": 0.05},
    phrases_of_several={"one": 0.15, "number": 0.2, "plural": 0.5, "pair": 0.05, "group": 0.1},
    number_wrong=0.25,
    errors={"requirement": 0.15, "drawing": 0.24, "quality": 0.15, "coverage": 0.14},
    worker_sd=1.0,
    chain_sd=0.7,
    none_though_missing=0.3,
)
"""Other shares of types, more chains without a box and with several, phrases that mislead, worse and less equal
workers."""
WORLDS = {"first": FIRST, "second": SECOND}


class Chain(NamedTuple):
    """One chain with its truth."""

    number: int
    types: frozenset[str]
    words: tuple[str, ...]
    boxes: int
    """The true number."""
    hard: float
    """Added to the logit of every error."""


class Worker(NamedTuple):
    """One worker: by task what is added to the logit of an error, and how known questions were answered."""

    bias: Mapping[str, float]
    accuracy: Mapping[str, float]
    """The share of right answers among the checked ones."""
    checks: int

    def shift(self, task: str, prior: BoxPrior) -> float:
        """Return what a service with this prior takes for the logit of the worker's error above the crowd's."""
        return box_shift(Task(f"box_{task}"), self.accuracy[task], self.checks, prior)


def made_chain(world: World, seed: int, number: int) -> Chain:
    """Draw a chain; it depends on the world, the seed and the number alone."""
    random = Random(f"{seed} chain {number}")
    kind = _drawn(random, world.types)
    boxes = 0
    if random.random() >= world.none[kind]:
        boxes = 1
        if random.random() < world.several[kind]:
            boxes = 2
            while boxes < MOST_BOXES and random.random() < world.tail:
                boxes += 1
    return Chain(number, frozenset({kind}), _phrase(world, random, boxes), boxes, random.gauss(0, world.chain_sd))


def _phrase(world: World, random: Random, boxes: int) -> tuple[str, ...]:
    kind = _drawn(random, world.phrases_of_several if boxes > 1 else world.phrases_of_one)
    if kind != "number":
        return PHRASES[kind]
    wrong = boxes < 2 or random.random() < world.number_wrong
    named = random.choice((2, 2, 2, 3, 3, 4)) if wrong else min(boxes, len(NUMBER_WORDS) + 1)
    return (NUMBER_WORDS[named - 2], "dogs")


def _drawn(random: Random, weights: Mapping[str, float]) -> str:
    return random.choices(list(weights), list(weights.values()))[0]


def made_workers(world: World, seed: int, *, checks: int = 40) -> list[Worker]:
    """Draw a crew. `checks`: the known questions that each worker answered in each task."""
    random = Random(f"{seed} workers")
    found = []
    for _ in range(world.workers):
        bias = {task: random.gauss(0, world.worker_sd) for task in ERRORS}
        accuracy = {}
        for task in world.errors:
            share = chance_of_error(world, task, bias[task])
            wrong = sum(random.random() < share for _ in range(checks))
            accuracy[task] = 1 - wrong / checks if checks else 0.0
        found.append(Worker(bias, accuracy, checks))
    return found


def chance_of_error(world: World, task: str, bias: float) -> float:
    """Return the share of wrong answers where workers and chains add this to the logit."""
    return min(sigmoid(_intercept(world.errors[task], math.hypot(world.worker_sd, world.chain_sd)) + bias), MOST_WRONG)


@cache
def _intercept(mean: float, sd: float) -> float:
    """Return the logit of an error so that errors spread by `sd` have this mean."""
    steps = [sd * NormalDist().inv_cdf((place + 0.5) / 200) for place in range(200)]
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        found = fmean(min(sigmoid(middle + step), MOST_WRONG) for step in steps)
        low, high = (middle, high) if found < mean else (low, middle)
    return low
