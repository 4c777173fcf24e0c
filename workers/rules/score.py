"""Score [paper 3.3]: how many verification questions a worker got right, and when that is too few.

The interval is Clopper and Pearson's (Biometrika 26, 1934, 404-413), the exact one: its upper end is below a minimum
just when a worker who is right that often would do so badly in less than 2.5 % of cases. Wilson's (1927) is nearer to
95 % on average (Brown, Cai and DasGupta, Statistical Science 16, 2001, 101-133), but for some numbers of questions it
condemns up to 5 % of those who are just good enough. Work is refused by it, so we take the one that keeps its word.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

TAIL = 0.025
"""Of each side of the 95 % interval."""
RECENT = 30
"""The most recent questions, which have a score of their own."""


class Rule(StrEnum):
    """When a score is below a minimum."""

    INTERVAL = "interval"
    """By more than chance explains: the upper end of its 95 % interval is below."""
    BARE = "bare"
    """The share of right answers is below: the paper's comparison."""


@dataclass(frozen=True, slots=True)
class Score:
    """So many right of so many. Raises ValueError where that cannot be."""

    right: int = 0
    total: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.right <= self.total:
            raise ValueError(f"{self.right} right of {self.total}: there is no such score.")

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.total + other.total)

    @property
    def share(self) -> float | None:
        """From 0 to 1; None before the first question."""
        return self.right / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share; 0 to 1 before the first question."""
        low = 1 - _upper_end(self.total - self.right, self.total)
        return low, _upper_end(self.right, self.total)

    def __str__(self) -> str:
        if self.share is None:
            return "no answers yet"
        low, high = self.interval
        return f"{self.right} of {self.total} right ({self.share:.1%}; 95 % interval {low:.1%} to {high:.1%})"


@dataclass(frozen=True, slots=True)
class Scores:
    """A worker's scores on one task. For box drawing both hold the boxes that were judged, too."""

    overall: Score = Score()
    recent: Score = Score()

    @classmethod
    def of(cls, outcomes: Sequence[bool], *, recent: int = RECENT) -> "Scores":
        """From what was right and what was not, the oldest first."""
        last = outcomes[-recent:]
        return cls(Score(sum(outcomes), len(outcomes)), Score(sum(last), len(last)))


def drawing_score(questions: Score, boxes: Score) -> Score:
    """Box drawing: verification questions right and boxes approved, of the questions asked and the boxes judged."""
    return questions + boxes


def below(score: Score, minimum: float, rule: Rule = Rule.INTERVAL) -> bool:
    """Whether the score is below the minimum (0 to 1). Without answers it is not."""
    if not score.total:
        return False
    if rule is Rule.BARE:
        # 0.55 * 100 is a little more than 55.
        return score.right < minimum * score.total - 1e-9
    return _at_most(score.right, score.total, minimum) < TAIL


@lru_cache(maxsize=2**15)
def _at_most(right: int, total: int, share: float) -> float:
    """The probability of so few right answers or fewer, if each is right with probability `share`."""
    if right >= total or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    if right > share * total:
        # From the other side, where the terms get smaller.
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
    """The share that would give so few right answers or fewer in 2.5 % of cases, by bisection."""
    if right == total:
        return 1.0
    low, high = right / total, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(right, total, middle) > TAIL else (low, middle)
    return high
