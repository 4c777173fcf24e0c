"""Source [beyond paper 3]: an imported data set that is being checked counts as a program that is right very often.

How often is the requester's guess, until answers tell: as if that many boxes and chains had been seen.
"""

from collections.abc import Sequence
from typing import NamedTuple

BOXES, CHAINS = 200, 2000
"""The weight of the guess: boxes and chains that were seen."""


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

    def numbers(self, sizes: int) -> tuple[tuple[float, ...], ...]:
        """Return the chains taken to have been seen [their number of boxes, that of the source]."""
        wrong = CHAINS * (1 - self.trust) / (sizes - 1)
        rows: Sequence[tuple[float, ...]] = [
            tuple(CHAINS * self.trust if place == own else wrong for place in range(sizes)) for own in range(sizes)
        ]
        return tuple(rows)


NO_SOURCE = Source()
