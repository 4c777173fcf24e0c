"""Batch verdict [paper 3.3]: in the verification model a worker's judgments count batch by batch.

A batch is a worker's assignments on a task, in order, up to ten verification questions; or, so that nothing waits
forever, those older than 24 hours: too few for a score, so the worker's overall score decides. A batch that is
refused is asked again; its pay is another matter.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.rules.score import Rule, Score, below


@dataclass(frozen=True, slots=True)
class BatchRules:
    """One task's thresholds."""

    minimum: float = 0.8
    rule: Rule = Rule.INTERVAL
    questions: int = 10
    """Verification questions that make a batch."""
    longest: timedelta = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Submitted:
    """An assignment that belongs to no batch yet; `number` is the caller's."""

    number: int
    at: datetime
    score: Score


@dataclass(frozen=True, slots=True)
class BatchVerdict:
    """Which assignments count, or are asked again, and why."""

    assignments: tuple[int, ...]
    accepted: bool
    reason: str
    score: Score
    """What decided: the batch's own, or the overall score."""


def judge_batches(
    waiting: Iterable[Submitted], overall: Score, rules: BatchRules, now: datetime
) -> tuple[BatchVerdict, ...]:
    """The verdicts on one worker's assignments that wait; what is in none of them waits on.

    `overall` is the worker's score over everything on the task, the waiting assignments included.
    """
    verdicts = []
    batch: list[Submitted] = []
    for one in sorted(waiting, key=lambda one: (one.at, one.number)):
        batch.append(one)
        score = sum((each.score for each in batch), Score())
        if score.total >= rules.questions:
            verdicts.append(_verdict(batch, score, "The batch", rules))
            batch = []
    old = [one for one in batch if now - one.at >= rules.longest]
    if old:
        verdicts.append(_verdict(old, overall, "Too few for a score, so all: the worker's answers", rules))
    return tuple(verdicts)


def _verdict(batch: list[Submitted], score: Score, what: str, rules: BatchRules) -> BatchVerdict:
    refused = below(score, rules.minimum, rules.rule)
    held = "below" if refused else "not below"
    reason = f"{what}: {score}; {held} the minimum of {rules.minimum:.0%}."
    return BatchVerdict(tuple(one.number for one in batch), not refused, reason, score)
