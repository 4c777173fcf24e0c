"""Answers [beyond paper 3.1.1]: what judgments of a pair say about it, when pairs differ in how hard they are.

How often a pair is answered wrongly is unknown: its logit is one of six, as likely before the first answer, and the
answers tell which. So a second answer that agrees says less than the first, and pairs that divide people stay open.
"""

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist, fmean
from typing import NamedTuple

NODES = 6
SPREAD = 1.6
"""Standard deviation of the logit over pairs: about that of simulated pairs with vague mentions."""
FALSE_NEGATIVE, FALSE_POSITIVE = 0.047, 0.049
"""Mean error on pairs that corefer and that do not [paper table 2]."""
HARDEST = math.log(0.45 / 0.55)
"""No pair is answered by chance, or worse."""


class Heard(NamedTuple):
    """One judgment of a pair."""

    same: bool
    shift: float = 0.0
    """By how much the logit of its worker's error is above the crowd's."""


class PairEvidence(NamedTuple):
    """What the judgments of a pair say."""

    ratio: float
    """Log of how much likelier they are if the two corefer than if they do not."""
    yes_if_same: float
    """The chance that the next worker says "yes", if they do ..."""
    yes_if_different: float
    """... and if they do not."""


def weigh(judgments: Sequence[Heard]) -> PairEvidence:
    if_same, next_wrong = _weigh(judgments, True)
    if_different, next_yes = _weigh(judgments, False)
    return PairEvidence(if_same - if_different, 1 - next_wrong, next_yes)


def _weigh(judgments: Sequence[Heard], truth: bool) -> tuple[float, float]:
    """The log likelihood of the judgments, and the chance that an average worker errs next."""
    logs = [sum(_log_chance(node, one, truth) for one in judgments) for node in _nodes(truth)]
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    total = sum(weights)
    wrong = sum(weight * _sigmoid(node) for weight, node in zip(weights, _nodes(truth), strict=True)) / total
    return top + math.log(total / NODES), wrong


def _log_chance(node: float, judgment: Heard, truth: bool) -> float:
    error = _sigmoid(node + judgment.shift)
    return math.log(1 - error if judgment.same == truth else error)


@cache
def _nodes(truth: bool) -> tuple[float, ...]:
    """Logits of the error with the mean error of the crowd, found by bisection."""
    rate = FALSE_NEGATIVE if truth else FALSE_POSITIVE
    steps = [SPREAD * NormalDist().inv_cdf((node + 0.5) / NODES) for node in range(NODES)]
    low, high = -30.0, HARDEST
    for _ in range(60):
        middle = (low + high) / 2
        mean = fmean(_sigmoid(min(middle + step, HARDEST)) for step in steps)
        low, high = (middle, high) if mean < rate else (low, middle)
    return tuple(min(low + step, HARDEST) for step in steps)


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
