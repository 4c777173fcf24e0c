"""Score [paper 3.3]: how many verification questions a worker got right, and when that is too few.

The interval is the exact one of Clopper and Pearson (Biometrika 26, 1934, 404-413). Its upper end is below a minimum
exactly if a worker who is right that often would score so low in less than 2.5 % of cases. Wilson's interval (`share`)
is nearer to 95 % on average (Brown, Cai and DasGupta, Statistical Science 16, 2001, 101-133), but for some numbers of
questions it fails up to 5 % of the workers who are just good enough. Work is refused by this interval, so its error
must never exceed what it promises.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

TAIL = 0.025
"""The chance on each side of the 95 % interval."""
RECENT = 30
"""The number of latest questions that have a score of their own."""


class Rule(StrEnum):
    """The test by which a score is below a minimum."""

    INTERVAL = "interval"
    """The upper end of the score's 95 % interval is below the minimum: chance does not explain the score."""
    BARE = "bare"
    """The share of right answers is below the minimum: the paper's comparison."""


@dataclass(frozen=True, slots=True)
class Score:
    """The number of right answers, of all answers. Raises ValueError for an impossible score."""

    right: int = 0
    total: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.right <= self.total:
            raise ValueError(f"A score of {self.right} right of {self.total} is impossible.")

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.total + other.total)

    @property
    def share(self) -> float | None:
        """The share of right answers, 0 to 1; None before the first answer."""
        return self.right / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share; 0 to 1 before the first answer."""
        low = 1 - _upper_end(self.total - self.right, self.total)
        return low, _upper_end(self.right, self.total)

    def __str__(self) -> str:
        if self.share is None:
            return "no answers yet"
        low, high = self.interval
        return f"{self.right} of {self.total} right ({self.share:.1%}; 95 % interval {low:.1%} to {high:.1%})"


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one worker on one task. For box drawing they include the judged boxes."""

    overall: Score = Score()
    recent: Score = Score()

    @classmethod
    def of(cls, outcomes: Sequence[bool], *, recent: int = RECENT) -> "Scores":
        """Return the scores of these answers, right or wrong, oldest first."""
        last = outcomes[-recent:]
        return cls(Score(sum(outcomes), len(outcomes)), Score(sum(last), len(last)))


def below(score: Score, minimum: float, rule: Rule = Rule.INTERVAL) -> bool:
    """Return whether the score is below the minimum (0 to 1). A score without answers is not."""
    if not score.total:
        return False
    if rule is Rule.BARE:
        # 0.55 * 100 is a little more than 55.
        return score.right < minimum * score.total - 1e-9
    return _at_most(score.right, score.total, minimum) < TAIL


@lru_cache(maxsize=2**15)
def _at_most(right: int, total: int, share: float) -> float:
    """Return the probability of `right` or fewer right answers, if each is right with probability `share`."""
    if right >= total or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    if right > share * total:
        # Sum the other tail, where the terms get smaller.
        return 1 - _at_most(total - right - 1, total, 1 - share)
    ways = math.lgamma(total + 1) - math.lgamma(right + 1) - math.lgamma(total - right + 1)
    term = math.exp(ways + right * math.log(share) + (total - right) * math.log1p(-share))
    tail = 0.0
    for number in range(right, -1, -1):
        tail += term
        term *= number / (total - number + 1) * (1 - share) / share
    return tail


@lru_cache(maxsize=10_000)
def _upper_end(right: int, total: int) -> float:
    """Return the share for which `right` or fewer right answers have a chance of 2.5 %, by bisection."""
    if right == total:
        return 1.0
    low, high = right / total, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(right, total, middle) > TAIL else (low, middle)
    return high
