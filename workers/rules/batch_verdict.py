"""Batch verdict [paper 3.3]: in the verification model a worker's judgments count batch by batch.

A batch is a worker's assignments on a task, in order, until they hold ten verification questions; its score decides. So
that nothing waits forever, assignments older than 24 hours make a batch with fewer: then the worker's overall score
decides. The questions of a refused batch are asked again. Payment is decided elsewhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from runtime.words import percent
from workers.rules.score import Score, ScoreRule, below


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
