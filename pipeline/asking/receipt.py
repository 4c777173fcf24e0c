"""Submissions and their receipts. Submitting the same answers twice returns the same receipt."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from runtime.database import PreparedUpdate, Slot, slot_for
from workers.rules.texts import Coded


class GivenAnswer(NamedTuple):
    """One answer as the page sends it."""

    answer: Any
    seconds: float | None = None
    comment: str = ""


class Skipped(NamedTuple):
    """A question that the worker would not answer, and why. They are not asked it again."""

    reason: str
    """A value of `Skip.Reason`."""
    comment: str = ""


Reply = GivenAnswer | Skipped
Replies = Mapping[int, Reply]
"""By place in the assignment."""


class TestResult(NamedTuple):
    """The result of a qualification test, in questions."""

    right: int
    questions: int
    needed: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a submission. Real questions are named by their ids; verification questions are only counted."""

    assignment: Assignment
    stored: tuple[int, ...]
    too_late: tuple[int, ...]
    """Questions that others had answered when the lease had run out, or that are no longer asked."""
    late_places: tuple[int, ...] = ()
    """Their places, and those of verification questions with such a question behind them, whose answers are stored."""
    skipped: tuple[int, ...] = ()
    answered: int = 0
    """Answers that were taken, to questions of both kinds."""
    left_out: int = 0
    """Skipped questions of both kinds."""
    earned_cents: int = 0
    test: TestResult | None = None
    mistakes: tuple[str, ...] = ()
    """Values of `Mistake`: the kinds that the result of a failed test tells."""
    sequel: Coded | None = None
    """Of a test: what follows for the worker, as a text."""
    repeated: bool = False
    """The assignment had been submitted before; nothing was stored twice."""
    differs: bool = False
    """It had been submitted with other replies, which count."""
    replies: Replies = field(default_factory=dict)
    """The replies as they were sent."""

    @property
    def taken(self) -> int:
        """The number of answers that were taken, as shown to the worker.

        0 if every answer to a real question came too late, and nothing stands behind the verification questions: the
        rest would give these away.
        """
        bare = len(self.assignment.spare) < len(self.assignment.known)
        return 0 if bare and self.too_late and not self.stored else self.answered

    @property
    def late(self) -> int:
        """The number of late answers, as shown to the worker, who does not learn which. All, if none was taken."""
        return self.answered + len(self.late_places) - self.taken


def reward_share(assignment: Assignment, done: Fraction, total: Fraction) -> int:
    """Return the share of the reward for the answered questions in cents, rounded half up.

    `done`, `total`: the work of the answered questions, and of all. Answers that came too late count: they were work
    as well.
    """
    return (2 * assignment.reward_cents * done + total) // (2 * total)


def store_receipt(receipt: Receipt, now: datetime) -> None:
    """End the assignment as submitted, with its receipt."""
    kept = {
        "stored": receipt.taken,
        "late": receipt.too_late,
        "late_places": receipt.late_places,
        "answered": receipt.answered,
        "skipped": receipt.left_out,
        "earned_cents": receipt.earned_cents,
        "test": receipt.test,
        "mistakes": receipt.mistakes,
        "sequel": receipt.sequel,
        "sent": _digest(receipt.replies),
        "skips": [[place, *reply] for place, reply in sorted(receipt.replies.items()) if isinstance(reply, Skipped)],
    }
    END.run(id=receipt.assignment.id, ended_at=now, receipt=kept, earned_cents=receipt.earned_cents)


END = PreparedUpdate(
    lambda: (
        Assignment.objects.filter(id=Slot("id")),
        {
            "state": Assignment.State.SUBMITTED,
            "draft": None,
            **{name: slot_for(Assignment, name) for name in ("ended_at", "receipt", "earned_cents")},
        },
    )
)


def stored_receipt(assignment: Assignment, replies: Replies) -> Receipt:
    """Return the receipt that a submitted assignment got. `replies`: what was sent this time."""
    answered = assignment.judgments.filter(question__isnull=False).order_by("id")
    kept = assignment.receipt
    assert kept is not None
    return Receipt(
        assignment,
        stored=tuple(number for number in answered.values_list("question_id", flat=True) if number is not None),
        too_late=tuple(kept["late"]),
        late_places=tuple(kept["late_places"]),
        skipped=tuple(assignment.skips.order_by("id").values_list("question_id", flat=True)),
        answered=kept["answered"],
        left_out=kept["skipped"],
        earned_cents=assignment.earned_cents,
        test=TestResult(*kept["test"]) if kept["test"] else None,
        mistakes=tuple(kept["mistakes"]),
        sequel=kept["sequel"],
        repeated=True,
        differs=kept["sent"] != _digest(replies),
        replies=replies,
    )


def _digest(replies: Replies) -> str:
    """Return a digest of the answers, the skips and the comments; the time that they took is left out."""
    sent = [
        [place, "answer", reply.answer, reply.comment] if isinstance(reply, GivenAnswer) else [place, "skip", *reply]
        for place, reply in sorted(replies.items())
    ]
    return sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def has_met(worker_id: int, project_id: int, task: Task) -> bool:
    """Return whether the worker has submitted an assignment of the task, be it a test."""
    done = Assignment.objects.filter(worker_id=worker_id, project_id=project_id, state=Assignment.State.SUBMITTED)
    return done.filter(task=task.value).exists()
