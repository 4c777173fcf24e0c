"""What workers have earned, what was paid, and what is owed, by project. All amounts in hundredths of its currency."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from pipeline.models import Assignment, LedgerEntry
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings

Kind = LedgerEntry.Kind


@dataclass(frozen=True, slots=True)
class Account:
    """One worker's money in one project, or the sum of several."""

    earned: int = 0
    """For the answers of assignments that were handed in."""
    bonus: int = 0
    refused: int = 0
    """Refusals that were taken back are taken off."""
    paid: int = 0

    @property
    def owed(self) -> int:
        return self.earned + self.bonus - self.refused - self.paid

    def __add__(self, other: "Account") -> "Account":
        return Account(
            self.earned + other.earned,
            self.bonus + other.bonus,
            self.refused + other.refused,
            self.paid + other.paid,
        )


def accounts(project_id: int, worker_id: int | None = None) -> dict[int, Account]:
    """By worker id, of all who earned something or have an entry in the ledger; or of the one."""
    who = {"worker": worker_id} if worker_id is not None else {}
    handed_in = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, **who)
    earned = handed_in.exclude(earned_cents=0).values_list("worker").annotate(Sum("earned_cents")).order_by("worker")
    found = {worker: Account(earned=cents) for worker, cents in earned}
    entries = LedgerEntry.objects.filter(project_id=project_id, **who).order_by("worker", "kind")
    for worker, kind, cents in entries.values_list("worker", "kind").annotate(Sum("cents")):
        found[worker] = found.get(worker, Account()) + _effect(kind, cents)
    return dict(sorted(found.items()))


def account_of(worker_id: int, project_id: int) -> Account:
    return accounts(project_id, worker_id).get(worker_id, Account())


def total(of: Iterable[Account]) -> Account:
    return sum(of, Account())


def _effect(kind: str, cents: int) -> Account:
    match kind:
        case Kind.PAID:
            return Account(paid=cents)
        case Kind.BONUS:
            return Account(bonus=cents)
        case Kind.REFUSED:
            return Account(refused=cents)
        case _:
            return Account(refused=-cents)


def refused_of(worker_id: int, project_id: int) -> dict[int, int]:
    """What is refused of each of the worker's assignments, by id; those of which nothing is are left out."""
    refused: dict[int, int] = {}
    rows = LedgerEntry.objects.filter(worker=worker_id, project_id=project_id, assignment_id__isnull=False)
    for assignment, kind, cents in rows.values_list("assignment_id", "kind", "cents"):
        assert assignment is not None
        refused[assignment] = refused.get(assignment, 0) + _effect(kind, cents).refused
    return {assignment: cents for assignment, cents in refused.items() if cents}


def unpaid_of(assignment: Assignment) -> int:
    """What of an assignment's pay is neither refused nor paid. What was paid goes to what was earned first.

    A payment names no assignment: it covers work and bonuses in the order in which they came.
    """
    left = account_of(assignment.worker_id, assignment.project_id).paid
    for _, number, cents in sorted(_credits(assignment.worker_id, assignment.project_id)):
        if number == assignment.id:
            return max(cents - left, 0)
        left = max(left - cents, 0)
    return 0


def _credits(worker_id: int, project_id: int) -> list[tuple[datetime, int, int]]:
    """(when, assignment or 0 for a bonus, what is to be paid for it)"""
    refused = refused_of(worker_id, project_id)
    handed_in = Assignment.objects.filter(worker=worker_id, project=project_id, state=Assignment.State.SUBMITTED)
    work = handed_in.values_list("ended_at", "id", "earned_cents")
    bonuses = LedgerEntry.objects.filter(worker=worker_id, project_id=project_id, kind=Kind.BONUS)
    return [
        *((at, number, cents - refused.get(number, 0)) for at, number, cents in work if at is not None),
        *((at, 0, cents) for at, cents in bonuses.values_list("created_at", "cents")),
    ]


# --- A worker's own view ---


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a worker's ledger, in words for them. Who made it is not said."""

    at: datetime
    kind: str
    """paid, bonus, refused, or restored: a refusal that was taken back."""
    cents: int
    reason: str
    reference: str
    """How the payment is named where it was made; empty: it has no name."""
    task: str
    """The task, in words, of the assignment that it is about; empty: about none."""


@dataclass(frozen=True, slots=True)
class OwnLedger:
    account: Account
    currency: str
    lines: tuple[Line, ...]
    """The newest first."""


def own_ledger(worker_id: int, project_id: int, *, most: int = 200) -> OwnLedger:
    """What a worker may see of their own money in a project: the account, and its last `most` entries."""
    _, settings = current_settings(project_id)
    entries = list(LedgerEntry.objects.filter(worker=worker_id, project_id=project_id).order_by("-id")[:most])
    tasks = dict(Assignment.objects.filter(id__in=[entry.assignment_id for entry in entries]).values_list("id", "task"))
    lines = tuple(_line(entry, tasks.get(entry.assignment_id or 0)) for entry in entries)
    return OwnLedger(account_of(worker_id, project_id), settings.currency, lines)


def _line(entry: LedgerEntry, task: str | None) -> Line:
    words = Task(task).label if task else ""
    return Line(entry.created_at, entry.kind, entry.cents, entry.reason, entry.reference, words)
