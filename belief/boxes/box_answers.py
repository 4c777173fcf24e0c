"""Box answers [beyond paper 3.2, 3.3]: the four questions about a chain's boxes, and the chance of each answer.

Chains differ in how hard they are: the logit of a chain's errors is moved by one of a few values, equally likely before
the first answer. So a second answer that agrees says less than the first. Workers differ, too: `skill` moves the logit
of one worker's errors.
"""

from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from belief.annotators import error_logits
from workers.rules.score import logit, sigmoid


class BoxTask(StrEnum):
    """One question about a chain's boxes; the value is the key of its error rate in `BoxPrior.errors`."""

    REQUIREMENT = "requirement"
    """Does the chain need a box at all?"""
    DRAWING = "drawing"
    """Draw one box that is missing, or find none missing."""
    QUALITY = "quality"
    """Is this one box good?"""
    COVERAGE = "coverage"
    """Are all boxes there?"""


class BoxRequirement(StrEnum):
    """The answers to box requirement."""

    BOX = "box"
    NO_BOX = "no box"


class BoxQuality(StrEnum):
    """The answers to box quality."""

    GOOD = "good"
    BAD = "bad"


class BoxCoverage(StrEnum):
    """The answers to box coverage."""

    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


BoxReply = BoxRequirement | BoxQuality | BoxCoverage
ALARMS = frozenset[BoxReply]({BoxRequirement.BOX, BoxQuality.BAD, BoxCoverage.MORE_NEEDED})
"""The answers that find something wrong: a missing box, or a bad one."""


NODES = 3
SPREAD = 0.7
"""Standard deviation over chains of the logit of an error."""
MAX_ERROR = 0.49
"""The largest error of a crowd's answer that the policy assumes: an answer never says the opposite."""
NONE_THOUGH_MISSING = 0.15
"""The share of wrong drawing answers, while a box is missing, that say that none is; the others are bad boxes."""
WRONG_TO_BOX = 0.5
"""The share of wrong answers about a chain without a box that ask for one; the others take a scene for no box."""

Chances = NDArray[np.float64]


class DrawingChances(NamedTuple):
    """The chances of what a drawing worker does, each by difficulty [NODES]."""

    good: Chances
    """While a box is missing: draws a good one."""
    bad: Chances
    """While a box is missing: draws a bad one."""
    none: Chances
    """While a box is missing: says that none is."""
    needless: Chances
    """While none is missing: draws one."""


@lru_cache(maxsize=4096)
def node_errors(mean: float, skill: float = 0.0) -> Chances:
    """Return a worker's chance of a wrong answer, by the difficulty of the chain [NODES].

    `mean`: the crowd's share of wrong answers. `skill`: the logit of the worker's error less that of the crowd. The
    array is shared and cannot be changed.
    """
    errors = np.array([min(sigmoid(node + skill), MAX_ERROR) for node in _nodes(mean)])
    errors.setflags(write=False)
    return errors


def drawing_chances(mean: float, skill: float = 0.0) -> DrawingChances:
    """Return the chances of a drawing worker whose crowd errs in this share."""
    wrong = node_errors(mean, skill)
    return DrawingChances(1 - wrong, wrong * (1 - NONE_THOUGH_MISSING), wrong * NONE_THOUGH_MISSING, wrong)


@cache
def _nodes(mean: float) -> tuple[float, ...]:
    return error_logits(mean, nodes=NODES, spread=SPREAD, between=(logit(mean) - 5, logit(mean) + 5), steps=50)
