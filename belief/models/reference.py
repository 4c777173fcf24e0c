"""Reference set [beyond paper 3]: a data set that is being checked counts as a program that is right very often.

How often is the requester's guess, until answers tell: as if that many boxes and pairs of phrases had been seen.
"""

from collections.abc import Collection, Sequence
from statistics import fmean
from typing import NamedTuple

IMAGINED_BOXES, IMAGINED_PAIRS = 200, 2000
"""The weight of the guess: boxes, and pairs of phrases of either kind, that were seen."""

NONE_INSTEAD_OF_ONE, ALL_LEFT_OUT = 0.4, 0.1
"""Of wrong numbers of boxes: the share that are 0, where one box is due and where several are."""

OF_LINKS, OF_BOXES = 1.0, 0.8
"""The part of the share of wrong mentions, or boxes, that makes a trust: a chain is doubted for each of its boxes."""
HIGH_ERROR = 0.3
"""The share of wrong labels from which on people are asked as much as if the labels were made anew."""
MIN_WRONG, MAX_WRONG = 0.005, 0.7
"""No data set is taken to be wrong less often, or more often."""


class Reference(NamedTuple):
    """A data set that is being checked."""

    program: int = 0
    """The number of the program that stands for it; 0: nothing is checked."""
    trust: float = 0.95
    """The share of its chains that are taken to be right, 0 to 1."""
    wrong: tuple[tuple[str, float, float], ...] = ()
    """For "", which stands for all, and for each type: the shares of labels with wrong mentions, and with wrong boxes.

    Empty: the project's answers do not tell yet.
    """

    @property
    def phrase_error(self) -> float:
        """The chance that its word on a pair of phrases is wrong: about half of the wrong chains are wrong in that."""
        return (1 - self.trust) / 2

    @property
    def is_learned(self) -> bool:
        return bool(self.wrong)

    @property
    def errs_much(self) -> bool:
        """Whether so many labels are wrong that checking them is no less work than making them."""
        return any((1 - mentions) * (1 - boxes) < 1 - HIGH_ERROR for kind, mentions, boxes in self.wrong if not kind)

    def of_boxes(self, types: Collection[str]) -> "Reference":
        """Return the set as it counts for boxes of chains with these types."""
        return self._at([(kind, boxes) for kind, _, boxes in self.wrong], types, OF_BOXES)

    def of_links(self, types: Collection[str]) -> "Reference":
        """Return the set as it counts for links of phrases with these types."""
        return self._at([(kind, mentions) for kind, mentions, _ in self.wrong], types, OF_LINKS)

    def _at(self, wrong: Sequence[tuple[str, float]], types: Collection[str], part: float) -> "Reference":
        shares = [share for kind, share in wrong if kind in types] or [share for kind, share in wrong if not kind]
        if not shares:
            return self
        return self._replace(trust=1 - min(max(part * fmean(shares), MIN_WRONG), MAX_WRONG))

    def boxes(self) -> tuple[float, float]:
        """Return how many of its boxes are taken to have been seen good, and bad."""
        return IMAGINED_BOXES * self.trust, IMAGINED_BOXES * (1 - self.trust)

    def weigh(self, counts: Sequence[float], boxes: int) -> tuple[float, ...]:
        """Return the chances that a chain truly has 0, 1, ... boxes, given that the set has `boxes` ones.

        A wrong number is mostly one too many or one too few; where no box is due, it is 1. Where several are due,
        numbers are wrong twice as often. The last of `counts` stands for that many and
        more: where the set has as many, its number is told apart.
        """
        if boxes >= len(counts) - 1:
            counts = (*counts, *[counts[-1]] * (boxes + 3 - len(counts)))
        last = len(counts) - 1
        number, weights = min(boxes, last), []
        for true, chance in enumerate(counts):
            wrong = (1 - self.trust) * (1.0 if true > 1 else 0.5)
            weights.append(chance * (1 - wrong if true == number else wrong * _chance_of_number(true, number, last)))
        return tuple(weight / sum(weights) for weight in weights)


def _chance_of_number(true: int, count: int, last: int) -> float:
    """Return how likely a wrong number is `count`."""
    if true == 0:
        return 1.0 if count == 1 else 0.0
    none = ALL_LEFT_OUT if true > 1 else NONE_INSTEAD_OF_ONE
    if count == 0:
        return none
    beside = [near for near in (true - 1, true + 1) if 0 < near <= last]
    return (1 - none) / len(beside) if count in beside else 0.0


NO_REFERENCE = Reference()
