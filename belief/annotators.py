"""Annotators [beyond paper 3.3]: how often people and models err, and how that differs by difficulty and by skill.

Whoever answers errs in two ways: with something wrong they miss it, with nothing wrong they raise a false alarm (the
confusion of Dawid and Skene 1979). Subjects differ in difficulty: the logit of the crowd's error e on a subject of
difficulty d is

    logit e(d) = a + s z(d),    z(d) = the normal quantile of (d + 1/2) / D,    d = 0 ... D - 1,

with a chosen so that the mean of e(d) is the crowd's error. A person's skill moves that logit by a constant (as in
Whitehill et al. 2009, and Welinder and Perona 2010).
"""

from math import inf
from statistics import NormalDist, fmean
from typing import NamedTuple

from workers.rules.score import logit, sigmoid

IMAGINED_ANSWERS = 40
"""Imagined answers of an average worker that are added to each worker's own, so that a few answers say little."""
MAX_SKILL = 3.0
"""The largest skill, up or down."""


class ErrorRates(NamedTuple):
    """The chances of a wrong answer, 0 to 1. Those of a model never add up to more than 1."""

    miss: float
    """Finds nothing wrong where something is: a bad box is good, all is there, two things are the same."""
    false_alarm: float
    """Finds something wrong where nothing is."""

    def tempered(self, weight: float) -> "ErrorRates":
        """Return the errors of a model whose answers say this share, 0 to 1, of what they say: in logarithms."""
        if weight >= 1 or self.miss + self.false_alarm >= 1 or not self.miss or not self.false_alarm:
            return self
        if not weight:
            return GUESSES
        good, bad = ((1 - self.false_alarm) / self.miss) ** weight, ((1 - self.miss) / self.false_alarm) ** weight
        return ErrorRates((bad - 1) / (good * bad - 1), (good - 1) / (good * bad - 1))


GUESSES = ErrorRates(0.5, 0.5)
"""Answers of which nothing is known say nothing."""


def error_logits(
    mean: float, *, nodes: int, spread: float, between: tuple[float, float], steps: int, hardest: float = inf
) -> tuple[float, ...]:
    """Return the logit of the crowd's error at each of `nodes` difficulties, equally likely; easiest first.

    `mean`: the crowd's error over all subjects, 0 to 1. `spread`: the standard deviation of the logit over subjects.
    `between`, `steps`: where the place of the middle is sought, and how often that is halved. `hardest`: no logit is
    larger.
    """
    apart = [spread * NormalDist().inv_cdf((node + 0.5) / nodes) for node in range(nodes)]
    low, high = between
    for _ in range(steps):
        middle = (low + high) / 2
        below = fmean(sigmoid(min(middle + step, hardest)) for step in apart) < mean
        low, high = (middle, high) if below else (low, middle)
    return tuple(min(low + step, hardest) for step in apart)


def skill(accuracy: float, answers: int, crowd: float) -> float:
    """Return how far the logit of a person's error lies above the crowd's, from -3 to 3; below 0 is a careful person.

    `accuracy`: the share, 0 to 1, of right answers among `answers` checked ones. Without any the skill is 0. `crowd`:
    the crowd's share of wrong answers.
    """
    if answers <= 0:
        return 0.0
    error = ((1 - accuracy) * answers + crowd * IMAGINED_ANSWERS) / (answers + IMAGINED_ANSWERS)
    return max(-MAX_SKILL, min(MAX_SKILL, logit(error) - logit(crowd)))
