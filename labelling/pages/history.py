"""What a worker has done, and earned by it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Sum

from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task

BECAME = {
    Assignment.State.SUBMITTED: "",
    Assignment.State.RETURNED: "given back",
    Assignment.State.EXPIRED: "ran out of time",
}


@dataclass(frozen=True, slots=True)
class Done:
    """One assignment that has ended."""

    task: str
    at: datetime | None
    became: str
    """What it has come to, in words; empty for work that was handed in and used."""
    stored: str
    """How much of it counts, in words."""
    earned_cents: int


def ended_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Newest first; page through them and show each by `done`."""
    ended = [state.value for state in BECAME]
    return Assignment.objects.filter(worker=worker_id, project_id=project_id, state__in=ended).order_by("-id")


def done(assignment: Assignment) -> Done:
    return Done(
        task=Task(assignment.task).label,
        at=assignment.ended_at,
        became=", ".join(part for part in _parts(assignment) if part),
        stored=_stored(assignment.receipt or {}),
        earned_cents=assignment.earned_cents,
    )


def _parts(assignment: Assignment) -> tuple[str, str, str]:
    """What kind it was, how it ended, and whether it is used: why not may rest on exact figures, and is not told."""
    kind = "qualification test" if assignment.kind == Assignment.Kind.TEST else ""
    used = "paid, but not used" if assignment.verdict == Assignment.Verdict.REFUSED else ""
    return kind, BECAME[Assignment.State(assignment.state)], used


def _stored(receipt: dict[str, Any]) -> str:
    if test := receipt.get("test"):
        right, asked, *_ = test
        return f"{right} of {asked} right"
    stored = receipt.get("stored", 0)
    return f"{stored} of {stored + len(receipt.get('too_late', ()))}"


def earned_cents(project_id: int, worker_id: int) -> int:
    """Hundredths of the project's currency, over all of the worker's assignments."""
    paid = Assignment.objects.filter(worker=worker_id, project_id=project_id, state=Assignment.State.SUBMITTED)
    return paid.aggregate(cents=Sum("earned_cents"))["cents"] or 0
