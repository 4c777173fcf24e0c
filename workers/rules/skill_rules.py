"""Skill rules [paper 3.3]: the numbers that steer the estimate of skills."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SkillRules:
    """The priors, and when the search ends.

    A pull is a number of imagined answers. `row_pull` pulls each row of a worker's confusion matrix to what the crowd
    answers, raised or lowered to the worker's accuracy; `crowd_pull` pulls each worker's accuracy to the crowd's.
    """

    row_pull: float = 4.0
    crowd_pull: float = 16.0
    learned: float = 0.5
    """The way, 0 to 1 in logarithms, that the pulls go to the ones that tell left-out answers best."""
    tolerance: float = 1e-4
    """Nats per judgment: a smaller change of the likelihood ends the search."""
    most_rounds: int = 100
    kinds: int | None = None
    """1, 2, or None: whichever Akaike's criterion prefers."""
