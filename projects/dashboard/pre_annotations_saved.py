"""Pre-annotations saved [beyond paper 3.2]: the time of chains whose boxes were proposed, against drawn chains.

A pre-annotation spares a drawing. It costs its judgment, good or bad, and where its box is trusted less than a drawn
one, more answers about what is missing. So all answers of the four box tasks count: those that drawn chains with as
many boxes at the end get, less those that chains with pre-annotations got. Drawn chains of the project tell it; a few
imagined ones, as in simulations, stand in while there are none.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import BoxPolicyName
from runtime.intervals import OF_PROGRAMS, normal

TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
SIZES = 3
"""Chains are told apart by their boxes: none, one, two or more."""
USUAL: Mapping[BoxPolicyName, tuple[tuple[float, ...], ...]] = {
    BoxPolicyName.PAPER: ((2.7, 0.2, 0.1, 0.0), (0.5, 1.36, 1.2, 2.24), (0.4, 2.5, 2.3, 3.3)),
    BoxPolicyName.BELIEF: ((2.0, 0.1, 0.0, 0.0), (0.47, 1.43, 0.13, 0.95), (0.6, 2.7, 1.2, 0.5)),
}
"""Answers of each task that a drawn chain gets, by its boxes: simulated on images of Flickr30k Entities."""
IMAGINED = 10
"""Chains as usual that are added to the drawn ones of each size."""
DOUBT = 0.15
"""The usual answers may be this much off in a project, in shares of their time."""
SPREAD = 0.5
"""The standard deviation of a chain's time, in shares of the mean."""


class Chains(NamedTuple):
    """Chains of one size, and the answers that they got, by task."""

    number: int
    answers: Sequence[float]


class Saved(NamedTuple):
    """Time of workers that pre-annotations saved, in seconds; below 0 they cost time."""

    seconds: float
    low: float
    high: float
    """The 90 % interval."""
    chains: int
    """Chains for which a box was proposed."""
    took: float
    """The time of all of them."""
    drawn: int
    """Drawn chains of the project, on which the comparison rests."""


def pre_annotations_saved(
    tried: Iterable[Chains], drawn: Iterable[Chains], seconds: Sequence[float], policy: BoxPolicyName
) -> Saved:
    """Return the time saved. `tried`, `drawn`: the chains of each size; `seconds`: of an answer, by task."""
    would, took, variance, doubt, count, held = 0.0, 0.0, 0.0, 0.0, 0, 0
    for with_them, without, usual in zip(tried, drawn, USUAL[policy], strict=True):
        known, all_of_them = without.number, without.number + IMAGINED
        imagined = IMAGINED * _time(usual, seconds)
        each = (_time(without.answers, seconds) + imagined) / all_of_them
        would += with_them.number * each
        took += _time(with_them.answers, seconds)
        variance += (SPREAD * each) ** 2 * (with_them.number + with_them.number**2 / all_of_them)
        doubt += DOUBT * with_them.number * imagined / all_of_them
        count, held = count + with_them.number, held + known
    return Saved(*normal(would - took, sqrt(variance + doubt**2), OF_PROGRAMS), count, took, held)


def _time(answers: Sequence[float], seconds: Sequence[float]) -> float:
    return sum(number * second for number, second in zip(answers, seconds, strict=True))
