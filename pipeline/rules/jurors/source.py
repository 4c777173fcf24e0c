"""Source [beyond paper 3]: an imported data set that is being checked counts as a program that is right very often.

How often is the requester's guess, until answers tell: as if that many boxes and pairs of phrases had been seen.
"""

from collections.abc import Sequence
from typing import NamedTuple

BOXES, PAIRS = 200, 2000
"""The weight of the guess: boxes, and pairs of phrases of either kind, that were seen."""


class Source(NamedTuple):
    """A data set that is being checked."""

    program: int = 0
    """The number of the program that stands for it; 0: nothing is checked."""
    trust: float = 0.95
    """The share of its chains that are taken to be right, 0 to 1."""

    @property
    def phrase_error(self) -> float:
        """The chance that its word on a pair of phrases is wrong: about half of the wrong chains are wrong in that."""
        return (1 - self.trust) / 2

    def boxes(self) -> tuple[float, float]:
        """Return how many of its boxes are taken to have been seen good, and bad."""
        return BOXES * self.trust, BOXES * (1 - self.trust)

    def weigh(self, counts: Sequence[float], own: int) -> tuple[float, ...]:
        """Return the chances that a chain truly has 0, 1, ... boxes, given that the source has `own` ones."""
        wrong = (1 - self.trust) / (len(counts) - 1)
        last = min(own, len(counts) - 1)
        weighed = [chance * (self.trust if place == last else wrong) for place, chance in enumerate(counts)]
        return tuple(one / sum(weighed) for one in weighed)


NO_SOURCE = Source()
