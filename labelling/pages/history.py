"""The work that a worker has done, and what it earned."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Sum

from pipeline.asking.receipt import TestResult
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task

ENDINGS = {
    Assignment.State.SUBMITTED: "",
    Assignment.State.RETURNED: "returned",
    Assignment.State.EXPIRED: "ran out of time",
}


@dataclass(frozen=True, slots=True)
class Done:
    """One assignment that has ended."""

    task: str
    at: datetime | None
    outcome: str
    """How the assignment ended, in words; empty if it was submitted and used."""
    stored: str
    """How many of its answers count, in words."""
    earned_cents: int


def ended_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Return the ended assignments, newest first. `done` makes a row of the page from each."""
    ended = [state.value for state in ENDINGS]
    return Assignment.objects.filter(worker=worker_id, project_id=project_id, state__in=ended).order_by("-id")


def done(assignment: Assignment) -> Done:
    return Done(
        task=Task(assignment.task).label,
        at=assignment.ended_at,
        outcome=", ".join(part for part in _parts(assignment) if part),
        stored=_stored(assignment.receipt or {}),
        earned_cents=assignment.earned_cents,
    )


def _parts(assignment: Assignment) -> tuple[str, str, str]:
    """Return the kind, the end and the use of an assignment, in words.

    The reason why work is not used stays secret: it may rest on exact figures of trust.
    """
    kind = "qualification test" if assignment.kind == Assignment.Kind.TEST else ""
    used = "paid, but not used" if assignment.acceptance == Assignment.Acceptance.REFUSED else ""
    return kind, ENDINGS[Assignment.State(assignment.state)], used


def _stored(receipt: dict[str, Any]) -> str:
    if test := receipt.get("test"):
        result = TestResult(*test)
        return f"{result.right} of {result.asked} right"
    stored = receipt.get("stored", 0)
    return f"{stored} of {stored + len(receipt.get('too_late', ()))}"


def earned_cents(project_id: int, worker_id: int) -> int:
    """Return the sum that the worker has earned in the project, in hundredths of its currency."""
    paid = Assignment.objects.filter(worker=worker_id, project_id=project_id, state=Assignment.State.SUBMITTED)
    return paid.aggregate(cents=Sum("earned_cents"))["cents"] or 0
