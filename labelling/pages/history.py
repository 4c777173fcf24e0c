"""The work that a worker has done, and what it earned, by the ledger and roughly by the hour."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop

from labelling.open_tasks import MIN_ASSIGNMENTS
from pipeline.asking.receipt import TestResult
from pipeline.models import Assignment
from pipeline.money.hourly_pay import Pay, hourly_pay
from pipeline.money.ledger import WorkerBalance, account_of, rough_cents
from pipeline.project.settings_versions import current_settings
from workers.task_words import task_name

ENDINGS = {
    Assignment.State.SUBMITTED: "",
    Assignment.State.RETURNED: gettext_noop("returned"),
    Assignment.State.EXPIRED: gettext_noop("ran out of time"),
}


@dataclass(frozen=True, slots=True)
class Done:
    """One assignment that has ended."""

    task: str
    at: datetime | None
    outcome: str
    """The end of the assignment in words; empty if it was submitted and used."""
    stored: str
    """The number of its answers that count, in words."""
    earned_cents: int
    refused_cents: int
    """The part of it that the requester refused to pay."""
    token: UUID
    """Names the assignment, for a message about it."""


def ended_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Return the ended assignments, newest first. `done` makes a row of the page from each.

    Those that were leased ahead of time and never begun are none of the worker's doing.
    """
    ended = [state.value for state in ENDINGS]
    rows = Assignment.objects.filter(worker=worker_id, project_id=project_id, state__in=ended)
    return rows.exclude(ahead=True, state=Assignment.State.RETURNED).order_by("-id")


def done(assignment: Assignment, refused_cents: int = 0) -> Done:
    return Done(
        task=task_name(assignment.task),
        at=assignment.ended_at,
        outcome=", ".join(part for part in _parts(assignment) if part),
        stored=_stored(assignment.receipt or {}),
        earned_cents=assignment.earned_cents,
        refused_cents=refused_cents,
        token=assignment.token,
    )


def _parts(assignment: Assignment) -> tuple[str, str, str]:
    """Return the kind, the end and the use of an assignment, in words.

    The reason why work is not used stays secret: it may rest on exact figures of trust.
    """
    kind = gettext("qualification test") if assignment.kind == Assignment.Kind.TEST else ""
    used = ""
    if assignment.acceptance == Assignment.Acceptance.REFUSED:
        used = gettext("paid, but not used") if assignment.earned_cents else gettext("not used")
    end = ENDINGS[Assignment.State(assignment.state)]
    return kind, gettext(end) if end else "", used


def _stored(receipt: dict[str, Any]) -> str:
    if test := receipt.get("test"):
        result = TestResult(*test)
        return gettext("%(right)s of %(asked)s right") % {"right": result.right, "asked": result.asked}
    given = receipt.get("answered", 0) + len(receipt.get("late", ()))
    return gettext("%(stored)s of %(given)s") % {"stored": receipt.get("stored", 0), "given": given}


@dataclass(frozen=True, slots=True)
class Earnings:
    """Amounts in hundredths of the project's currency."""

    account: WorkerBalance
    currency: str
    hourly_cents: int
    """The pay by the hour, without refused pay and bonuses; 0: unpaid, or too few assignments to tell."""


def earnings(project_id: int, worker_id: int) -> Earnings:
    """Return the worker's earnings. Hours run from taking an assignment to handing it in, tests included."""
    _, settings = current_settings(project_id)
    account = account_of(worker_id, project_id)
    return Earnings(
        account, settings.currency, _by_hour(sum(hourly_pay(project_id, [worker_id]).values(), Pay()), account)
    )


def _by_hour(pay: Pay, account: WorkerBalance) -> int:
    if pay.assignments < MIN_ASSIGNMENTS or not pay.seconds:
        return 0
    return rough_cents(3600 * max(pay.earned_cents - account.refused, 0) // pay.seconds)
