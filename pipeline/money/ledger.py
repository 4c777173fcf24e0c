"""Accounts: what workers earned, were paid and are owed, by project. Amounts in hundredths of its currency."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Sum

from pipeline.models import Assignment, LedgerEntry
from pipeline.project.settings_versions import current_settings
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
