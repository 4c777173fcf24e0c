"""Answer model [beyond paper 3.1.1]: how much the judgments of a pair say, when pairs and workers differ.

Pairs differ in how hard they are: the logit of a pair's error rate is one of six values, equally likely before the
first answer. So a second answer that agrees says less than the first, and a pair that divides people stays open.
Workers differ in how often they err: `worker_shift` turns a worker's measured accuracy into a shift of that logit.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from statistics import NormalDist, fmean
from typing import NamedTuple

from workers.rules.share import logit, sigmoid

NODES = 6
SPREAD = 1.6
"""Standard deviation of the logit over pairs, about that of simulated pairs with vague mentions."""
FALSE_NEGATIVE, FALSE_POSITIVE = 0.047, 0.049
"""Mean error on pairs that corefer and on pairs that do not [paper table 2]."""
CROWD_ERROR = (FALSE_NEGATIVE + FALSE_POSITIVE) / 2
HARDEST = logit(0.45)
"""The largest logit of a pair's error: workers answer every pair better than by chance."""
PULL = 40
"""Imagined answers of an average worker that are added to each worker's own, so that a few answers say little."""
LARGEST = 3.0
"""The largest shift, up or down."""


class Heard(NamedTuple):
    """One judgment of a pair."""

    same: bool
    shift: float = 0.0
    """The logit of the worker's error, less that of the crowd."""


class PairEvidence(NamedTuple):
    """The evidence of all judgments of one pair."""

    ratio: float
    """Logarithm of the likelihood of these judgments if the two corefer, over that if they do not."""
    yes_if_same: float
    """The chance, 0 to 1, that the next worker answers "yes" if the two corefer."""
    yes_if_different: float
    """The same chance if the two do not corefer."""


@lru_cache(maxsize=8192)
def weigh(judgments: tuple[Heard, ...]) -> PairEvidence:
    """Return what the judgments of one pair say; without judgments, what is expected of the crowd.

    Cached, as all pairs of a group are weighed again after each of its judgments.
    """
    if_same, next_wrong = _weigh(judgments, True)
    if_different, next_yes = _weigh(judgments, False)
    return PairEvidence(if_same - if_different, 1 - next_wrong, next_yes)


def _weigh(judgments: Sequence[Heard], truth: bool) -> tuple[float, float]:
    """Return the log likelihood of the judgments, and the chance that an average worker errs next."""
    logs = [sum(_log_chance(node, one, truth) for one in judgments) for node in _nodes(truth)]
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    total = sum(weights)
    wrong = sum(weight * sigmoid(node) for weight, node in zip(weights, _nodes(truth), strict=True)) / total
    return top + math.log(total / NODES), wrong


def _log_chance(node: float, judgment: Heard, truth: bool) -> float:
    error = sigmoid(node + judgment.shift)
    return math.log(1 - error if judgment.same == truth else error)


@cache
def _nodes(truth: bool) -> tuple[float, ...]:
    """Return the six logits of the error, placed by bisection so that their mean error is the crowd's."""
    rate = FALSE_NEGATIVE if truth else FALSE_POSITIVE
    steps = [SPREAD * NormalDist().inv_cdf((node + 0.5) / NODES) for node in range(NODES)]
    low, high = -30.0, HARDEST
    for _ in range(60):
        middle = (low + high) / 2
        mean = fmean(sigmoid(min(middle + step, HARDEST)) for step in steps)
        low, high = (middle, high) if mean < rate else (low, middle)
    return tuple(min(low + step, HARDEST) for step in steps)


def worker_shift(accuracy: float, answers: int) -> float:
    """Return how far the logit of a worker's error lies above the crowd's, from -3 to 3; below 0 is a careful worker.

    `accuracy`: the share, 0 to 1, of right answers among `answers` checked ones. Without any the shift is 0.
    """
    if answers <= 0:
        return 0.0
    error = ((1 - accuracy) * answers + CROWD_ERROR * PULL) / (answers + PULL)
    return max(-LARGEST, min(LARGEST, logit(error) - logit(CROWD_ERROR)))
