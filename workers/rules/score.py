"""Score [paper 3.3]: how many verification questions a worker got right, and when that is too few.

The interval is the exact one of Clopper and Pearson (Biometrika 26, 1934, 404-413). Its upper end is below a minimum
exactly if a worker who is right that often would score so low in less than 2.5 % of cases. Wilson's interval
is nearer to 95 % on average (Brown, Cai and DasGupta, Statistical Science 16, 2001, 101-133), but for some numbers of
questions it fails up to 5 % of the workers who are just good enough. Work is refused by this interval, so its error
must never exceed what it promises.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from runtime.intervals import OF_WORKERS, IntervalEstimate, chance_of_at_most, clopper_pearson
from runtime.words import interval, percent

SMALLEST = 1e-9
"""Shares keep this distance from 0 and 1, where logarithms are infinite."""


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share; 0 and 1 are taken for the nearest share with a finite logit."""
    share = min(max(share, SMALLEST), 1 - SMALLEST)
    return math.log(share / (1 - share))


def sigmoid(value: float) -> float:
    """Return the share that has this logit, 0 to 1."""
    return 1 / (1 + math.exp(-value))


TAIL = (1 - OF_WORKERS) / 2
"""The chance on each side of the 95 % interval."""
RECENT = 30
"""The number of latest questions that have a score of their own."""


class ScoreRule(StrEnum):
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
    def estimate(self) -> IntervalEstimate:
        """The share with its exact 95 % interval; 0 to 1 before the first answer."""
        return clopper_pearson(self.right, self.total, OF_WORKERS)

    def __str__(self) -> str:
        if self.share is None:
            return "no answers yet"
        _, low, high = self.estimate
        return f"{self.right} of {self.total} right ({percent(self.share, 1)}; 95 % interval {interval(low, high, 1)})"


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


def below(score: Score, minimum: float, rule: ScoreRule = ScoreRule.INTERVAL) -> bool:
    """Return whether the score is below the minimum (0 to 1). A score without answers is not."""
    if not score.total:
        return False
    if rule is ScoreRule.BARE:
        # 0.55 * 100 is a little more than 55.
        return score.right < minimum * score.total - 1e-9
    return chance_of_at_most(score.right, score.total, minimum) < TAIL


@dataclass(frozen=True, slots=True)
class BatchRules:
    """The thresholds of one task."""

    minimum: float = 0.8
    rule: ScoreRule = ScoreRule.INTERVAL
    questions: int = 10
    """The number of verification questions that make a batch."""
    longest: timedelta = timedelta(hours=24)
    """The longest time that an assignment waits for a batch."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """An assignment that belongs to no batch yet. `number`: any number by which the caller knows it."""

    number: int
    at: datetime
    score: Score


@dataclass(frozen=True, slots=True)
class BatchVerdict:
    """The assignments of a batch, whether they count or are asked again, and why."""

    assignments: tuple[int, ...]
    accepted: bool
    reason: str
    score: Score
    """The score that decided: that of the batch, or the overall score."""


def judge_batches(
    waiting: Iterable[Submitted], overall: Score, rules: BatchRules, now: datetime
) -> tuple[BatchVerdict, ...]:
    """Decide on the waiting assignments of one worker. Assignments in no verdict go on waiting.

    `overall`: the worker's score on everything of the task, the waiting assignments included.
    """
    verdicts = []
    batch: list[Submitted] = []
    for answer in sorted(waiting, key=lambda answer: (answer.at, answer.number)):
        batch.append(answer)
        score = sum((answer.score for answer in batch), Score())
        if score.total >= rules.questions:
            verdicts.append(_verdict(batch, score, "The batch", rules))
            batch = []
    old = [answer for answer in batch if now - answer.at >= rules.longest]
    if old:
        verdicts.append(_verdict(old, overall, "Too few for a score, so all: the worker's answers", rules))
    return tuple(verdicts)


def _verdict(batch: list[Submitted], score: Score, what: str, rules: BatchRules) -> BatchVerdict:
    refused = below(score, rules.minimum, rules.rule)
    held = "below" if refused else "not below"
    reason = f"{what}: {score}; {held} the minimum of {percent(rules.minimum)}."
    return BatchVerdict(tuple(answer.number for answer in batch), not refused, reason, score)
