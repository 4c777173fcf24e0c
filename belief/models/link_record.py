"""Link record [beyond paper 3.1.1]: how often a program that judges links was right where people judged, too.

A program judges one pair at a time, as a worker does, and the same pair once.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

from belief.annotators import GUESSES, Errors
from belief.models.said_right import Share
from belief.models.tally import LEARNED, NONE, Tally, held_against_people, mistakes, wrong_among

LEAST = 0.01
"""No program counts as more often right than this error leaves room for."""


@dataclass(frozen=True)
class LinkRecord:
    """A program's answers about links, held against people's."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    same: Tally = NONE
    """Of pairs that corefer: said so, and not."""
    different: Tally = NONE
    """Of pairs that do not: said so, and not."""
    weight: Share = 1.0
    """The share of its evidence that counts, see `said_right`."""

    @property
    def answers(self) -> float:
        """The answers that were held against people's."""
        return held_against_people(self._tallies())

    @property
    def is_known(self) -> bool:
        """Whether enough answers were held against people's to let others count."""
        return self.answers >= LEARNED

    @property
    def wrong(self) -> float:
        """The share of wrong answers among all."""
        return wrong_among(self._tallies())

    def of_pairs(self) -> Errors:
        """Return how often it calls different things the same (passed), and the same different (alarm)."""
        return mistakes(self.different, self.same, self.wrong) if self.is_known else GUESSES

    def ratio(self, *, same: bool) -> float:
        """Return the logarithm of the likelihood of an answer if the two corefer, over that if they do not."""
        passed, alarm = (max(one, LEAST) for one in self.of_pairs())
        return self.weight * (math.log((1 - alarm) / passed) if same else math.log(alarm / (1 - passed)))

    def _tallies(self) -> list[Tally]:
        return [self.same, self.different]


NOBODY_KNOWS = LinkRecord()
