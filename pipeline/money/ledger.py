"""Accounts: what workers earned, were paid and are owed, by project, and by the hour. In hundredths of a currency."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum, Value
from django.db.models.functions import Least

from pipeline.models import Assignment, Judgment, LedgerEntry
from pipeline.project.settings_versions import current_settings
from runtime.database import cached_read
from workers.task_words import TASK_NAMES

Kind = LedgerEntry.Kind


@dataclass(frozen=True, slots=True)
class WorkerBalance:
    """One worker's money in one project, or the sum of several."""

    earned: int = 0
    """For the answers of submitted assignments."""
    bonus: int = 0
    refused: int = 0
    """Without refusals that were taken back."""
    paid: int = 0

    @property
    def granted(self) -> int:
        """The worker's money in all: for work and bonuses, without what was refused."""
        return self.earned + self.bonus - self.refused

    @property
    def owed(self) -> int:
        return self.granted - self.paid

    def __add__(self, other: "WorkerBalance") -> "WorkerBalance":
        return WorkerBalance(
            self.earned + other.earned,
            self.bonus + other.bonus,
            self.refused + other.refused,
            self.paid + other.paid,
        )


def accounts(project_id: int, worker_ids: Collection[int] | None = None) -> dict[int, WorkerBalance]:
    """Return the accounts of the workers who earned something or have a ledger entry, or of these, by worker id."""
    who = {"worker__in": worker_ids} if worker_ids is not None else {}
    submitted = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, **who)
    earned = submitted.exclude(earned_cents=0).values_list("worker").annotate(Sum("earned_cents")).order_by("worker")
    found = {worker: WorkerBalance(earned=cents) for worker, cents in earned}
    entries = LedgerEntry.objects.filter(project_id=project_id, **who).order_by("worker", "kind")
    for worker, kind, cents in entries.values_list("worker", "kind").annotate(Sum("cents")):
        found[worker] = found.get(worker, WorkerBalance()) + _effect(kind, cents)
    return dict(sorted(found.items()))


def account_of(worker_id: int, project_id: int) -> WorkerBalance:
    """Return one worker's account; all its amounts are 0 if there is nothing in it."""
    return accounts(project_id, [worker_id]).get(worker_id, WorkerBalance())


def total(of: Iterable[WorkerBalance]) -> WorkerBalance:
    return sum(of, WorkerBalance())


def _effect(kind: str, cents: int) -> WorkerBalance:
    match kind:
        case Kind.PAID:
            return WorkerBalance(paid=cents)
        case Kind.BONUS:
            return WorkerBalance(bonus=cents)
        case Kind.REFUSED:
            return WorkerBalance(refused=cents)
        case _:
            return WorkerBalance(refused=-cents)


def refused_of(worker_id: int, project_id: int) -> dict[int, int]:
    """Return how many cents of the worker's assignments are refused, by assignment id; without those with none."""
    refused: dict[int, int] = {}
    rows = LedgerEntry.objects.filter(worker=worker_id, project_id=project_id, assignment_id__isnull=False)
    for assignment, kind, cents in rows.values_list("assignment_id", "kind", "cents"):
        assert assignment is not None
        refused[assignment] = refused.get(assignment, 0) + _effect(kind, cents).refused
    return {assignment: cents for assignment, cents in refused.items() if cents}


def unpaid_of(assignment: Assignment) -> int:
    """Return how many cents of an assignment's pay are neither refused nor paid.

    A payment names no assignment: payments cover work and bonuses in the order in which these were earned.
    """
    left = account_of(assignment.worker_id, assignment.project_id).paid
    for credit in sorted(_credits(assignment.worker_id, assignment.project_id)):
        if credit.assignment_id == assignment.id:
            return max(credit.cents - left, 0)
        left = max(left - credit.cents, 0)
    return 0


class Credit(NamedTuple):
    """One amount to be paid to a worker. Credits sort in the order in which they are paid."""

    at: datetime
    assignment_id: int
    """0: a bonus."""
    cents: int


def _credits(worker_id: int, project_id: int) -> list[Credit]:
    refused = refused_of(worker_id, project_id)
    submitted = Assignment.objects.filter(worker=worker_id, project=project_id, state=Assignment.State.SUBMITTED)
    work = submitted.values_list("ended_at", "id", "earned_cents")
    bonuses = LedgerEntry.objects.filter(worker=worker_id, project_id=project_id, kind=Kind.BONUS)
    return [
        *(Credit(at, number, cents - refused.get(number, 0)) for at, number, cents in work if at is not None),
        *(Credit(at, 0, cents) for at, cents in bonuses.values_list("created_at", "cents")),
    ]


# --- A worker's own view ---


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One entry of a worker's ledger, as the worker sees it: without the name of the person who made it."""

    at: datetime
    kind: str
    """A value of `LedgerEntry.Kind`."""
    cents: int
    reason: str
    reference: str
    """The payment's name where it was made; empty: it has none."""
    task: str
    """The label of the assignment's task; empty: the entry is about no assignment."""
    token: UUID | None = None
    """Names the assignment."""


@dataclass(frozen=True, slots=True)
class OwnLedger:
    account: WorkerBalance
    currency: str
    lines: tuple[LedgerLine, ...]
    """Newest first."""


def own_ledger(worker_id: int, project_id: int, *, most: int = 200) -> OwnLedger:
    """Return a worker's own view of their money in a project: the account, and its newest entries, at most `most`."""
    _, settings = current_settings(project_id)
    entries = list(LedgerEntry.objects.filter(worker=worker_id, project_id=project_id).order_by("-id")[:most])
    about = Assignment.objects.filter(id__in=[entry.assignment_id for entry in entries]).values_list(
        "id", "task", "token"
    )
    named = {number: (TASK_NAMES[task], token) for number, task, token in about}
    lines = tuple(_line(entry, *named.get(entry.assignment_id or 0, ("", None))) for entry in entries)
    return OwnLedger(account_of(worker_id, project_id), settings.currency, lines)


def _line(entry: LedgerEntry, task: str, token: UUID | None) -> LedgerLine:
    return LedgerLine(entry.created_at, entry.kind, entry.cents, entry.reason, entry.reference, task, token)


ROUGH = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)


def rough_cents(cents: int) -> int:
    """Return the amount rounded down to one of ten steps for each power of ten; 0 below ten.

    From one step to the next is about a quarter, so no single assignment can be read from the figure.
    """
    power = 1
    while ROUGH[0] * 10 * power <= cents:
        power *= 10
    return max((step * power for step in ROUGH if step * power <= cents), default=0)


HOUR = 3600


@dataclass(frozen=True, slots=True)
class Pay:
    """The pay and the time of submitted assignments. Money is in hundredths of the project's currency."""

    assignments: int = 0
    earned_cents: int = 0
    """Earned before refusals and bonuses."""
    seconds: int = 0
    """Time from getting an assignment to submitting it; see `hourly_pay`."""
    answering_seconds: int = 0
    """Time with a question in view and the page in use, as pages measure it. Programs need not report it."""

    @property
    def by_hour(self) -> int | None:
        """Return cents per hour, or None if no time is known."""
        return _by_hour(self.earned_cents, self.seconds)

    @property
    def by_answering_hour(self) -> int | None:
        """Return cents per hour of answering, without the time for instructions and waiting."""
        return _by_hour(self.earned_cents, self.answering_seconds)

    def __add__(self, other: "Pay") -> "Pay":
        return Pay(
            self.assignments + other.assignments,
            self.earned_cents + other.earned_cents,
            self.seconds + other.seconds,
            self.answering_seconds + other.answering_seconds,
        )


def _by_hour(cents: int, seconds: int) -> int | None:
    return (2 * HOUR * cents + seconds) // (2 * seconds) if seconds else None


def hourly_pay(project_id: int, worker_ids: Iterable[int] | None = None) -> dict[tuple[int, str], Pay]:
    """Return the pay of all workers, or of these, by worker id and task. Takes two statements.

    An assignment's time runs from its lease to its submission, at most to the end of the lease, and at most for the
    longest lease of the present settings. A page left open overnight counts only until its last lease ends, so that it
    does not make a fairly paid worker look underpaid. Qualification tests count, because they are unpaid time.
    """
    who = {} if worker_ids is None else {"worker__in": list(worker_ids)}
    handed_in = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, **who)
    _, settings = current_settings(project_id)
    most = Value(timedelta(minutes=settings.lease_most_minutes), DurationField())
    leased = ExpressionWrapper(Least("ended_at", "expires_at") - F("created_at"), DurationField())
    rows = handed_in.order_by("worker", "task").values_list("worker", "task")
    found = {
        (worker, task): Pay(count, cents, round(time.total_seconds()))
        for worker, task, count, cents, time in rows.annotate(
            Count("id"), Sum("earned_cents"), time=Sum(Least(leased, most))
        )
    }
    measured = Judgment.objects.filter(assignment__in=handed_in, seconds__isnull=False).order_by()
    sums = measured.values_list("worker", "assignment__task").annotate(Sum("seconds"))
    # Of all workers: every judgment of the project is read. The times may be a minute old; the money never is.
    times = list(sums) if worker_ids is not None else cached_read(f"answering:{project_id}", lambda: list(sums))
    for worker, task, seconds in times:
        found[worker, task] = replace(found.get((worker, task), Pay()), answering_seconds=round(seconds))
    return found
