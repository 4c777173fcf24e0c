"""What a submission says and what it is answered; kept, so that the same submission again is answered the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pipeline.asking.layout import places_of
from pipeline.models import Assignment


class Given(NamedTuple):
    """One answer as the page sends it."""

    answer: Any
    seconds: float | None = None
    comment: str = ""


class Skipped(NamedTuple):
    """The worker would not answer, and why (a value of Skip.Reason). They aren't asked it again."""

    reason: str
    comment: str = ""


Reply = Given | Skipped
Replies = Mapping[int, Reply]
"""By place in the assignment, from 0."""


class TestResult(NamedTuple):
    """Of a qualification test, in questions."""

    right: int
    asked: int
    needed: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a submission. Questions are named by their ids; verification questions are only counted."""

    assignment: Assignment
    stored: tuple[int, ...]
    too_late: tuple[int, ...]
    """The lease had run out and the question was answered by others, or is no longer asked."""
    skipped: tuple[int, ...] = ()
    answered: int = 0
    """Answers that were taken, to questions of both kinds."""
    left_out: int = 0
    """Questions of both kinds that were skipped."""
    earned_cents: int = 0
    test: TestResult | None = None
    message: str = ""
    """About the test, in words for the worker."""
    repeated: bool = False
    """The same submission had arrived before; nothing was stored twice."""

    @property
    def taken(self) -> int:
        """Answers that were taken, as the worker is told: none, where every answer to a real question came too late."""
        return 0 if self.too_late and not self.stored else self.answered

    @property
    def late_places(self) -> list[int]:
        """All places, where every answer to a real question came too late: else what is left over were the known."""
        if self.too_late and not self.stored:
            return list(range(self.assignment.size))
        places = places_of(self.assignment)
        return [places[number] for number in self.too_late]


def earned(assignment: Assignment, answered: int) -> int:
    """The share of the reward for what was answered, rounded half up; what came too late was work as well."""
    total = assignment.size
    return (2 * assignment.reward_cents * answered + total) // (2 * total)


def keep(receipt: Receipt, now: datetime) -> None:
    """End the assignment with its receipt."""
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


def repeated(assignment: Assignment) -> Receipt:
    """What the submission was answered the first time."""
    answered = assignment.judgments.filter(question__isnull=False).order_by("id")
    kept = assignment.receipt or {}
    late = kept.get("late")
    if late is None:  # a receipt of before there were verification questions
        late = [assignment.questions[place] for place in kept.get("too_late", ())]
    test = kept.get("test")
    return Receipt(
        assignment,
        stored=tuple(number for number in answered.values_list("question_id", flat=True) if number is not None),
        too_late=tuple(late),
        skipped=tuple(assignment.skips.order_by("id").values_list("question_id", flat=True)),
        answered=kept.get("answered", kept.get("stored", 0)),
        left_out=kept.get("skipped", 0),
        earned_cents=assignment.earned_cents,
        test=TestResult(*test) if test else None,
        message=kept.get("message", ""),
        repeated=True,
    )
