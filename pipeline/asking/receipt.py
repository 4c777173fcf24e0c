"""Submissions and their receipts. Submitting the same answers twice returns the same receipt."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pipeline.asking.read_assignment import places_of
from pipeline.models import Assignment


class Given(NamedTuple):
    """One answer as the page sends it."""

    answer: Any
    seconds: float | None = None
    comment: str = ""


class Skipped(NamedTuple):
    """A question that the worker would not answer, and why. They are not asked it again."""

    reason: str
    """A value of `Skip.Reason`."""
    comment: str = ""


Reply = Given | Skipped
Replies = Mapping[int, Reply]
"""By place in the assignment."""


class TestResult(NamedTuple):
    """The result of a qualification test, in questions."""

    right: int
    asked: int
    needed: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a submission. Real questions are named by their ids; verification questions are only counted."""

    assignment: Assignment
    stored: tuple[int, ...]
    too_late: tuple[int, ...]
    """Questions that others had answered when the lease had run out, or that are no longer asked."""
    skipped: tuple[int, ...] = ()
    answered: int = 0
    """Answers that were taken, to questions of both kinds."""
    left_out: int = 0
    """Skipped questions of both kinds."""
    earned_cents: int = 0
    test: TestResult | None = None
    message: str = ""
    """About the test, in words for the worker."""
    repeated: bool = False
    """The same submission had arrived before; nothing was stored twice."""

    @property
    def taken(self) -> int:
        """How many answers were taken, as shown to the worker.

        0 if every answer to a real question came too late: the rest would give the verification questions away.
        """
        return 0 if self.too_late and not self.stored else self.answered

    @property
    def late_places(self) -> list[int]:
        """The places whose answers came too late, as shown to the worker; all, if no answer to a real one was taken."""
        if self.too_late and not self.stored:
            return list(range(self.assignment.size))
        places = places_of(self.assignment)
        return [places[number] for number in self.too_late]


def reward_share(assignment: Assignment, answered: int) -> int:
    """Return the share of the reward for the answered questions in cents, rounded half up.

    Answers that came too late count: they were work as well.
    """
    total = assignment.size
    return (2 * assignment.reward_cents * answered + total) // (2 * total)


def store_receipt(receipt: Receipt, now: datetime) -> None:
    """End the assignment as submitted, with its receipt."""
    kept = {
        "stored": receipt.taken,
        "too_late": receipt.late_places,
        "late": receipt.too_late,
        "answered": receipt.answered,
        "skipped": receipt.left_out,
        "earned_cents": receipt.earned_cents,
        "test": receipt.test,
        "message": receipt.message,
    }
    rows = Assignment.objects.filter(id=receipt.assignment.id)
    ended = {"state": Assignment.State.SUBMITTED, "ended_at": now, "draft": None}
    rows.update(receipt=kept, earned_cents=receipt.earned_cents, **ended)


def stored_receipt(assignment: Assignment) -> Receipt:
    """Return the receipt that a submitted assignment got."""
    answered = assignment.judgments.filter(question__isnull=False).order_by("id")
    kept = assignment.receipt or {}
    test = kept.get("test")
    return Receipt(
        assignment,
        stored=tuple(number for number in answered.values_list("question_id", flat=True) if number is not None),
        too_late=tuple(kept.get("late", ())),
        skipped=tuple(assignment.skips.order_by("id").values_list("question_id", flat=True)),
        answered=kept.get("answered", 0),
        left_out=kept.get("skipped", 0),
        earned_cents=assignment.earned_cents,
        test=TestResult(*test) if test else None,
        message=kept.get("message", ""),
        repeated=True,
    )
