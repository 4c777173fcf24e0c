"""Record that all workers of a project were paid what they are owed, under one reference."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet

from pipeline.models import LedgerEntry
from pipeline.money.errors import BadEntryError
from pipeline.money.ledger import accounts
from pipeline.money.pay_worker import PAID, pay_worker
from workers.models import Worker

LONGEST = 80
"""Characters of the reference. Each worker's payment is named by it and the worker's id."""


class Due(NamedTuple):
    """One payment that is due."""

    worker: Worker
    cents: int
    reference: str


def payments_due(project_id: int, reference: str) -> list[Due]:
    """Return what `pay_all` would pay: to each person what they are owed, unless this reference has paid them already.

    Programs, virtual workers and workers from platforms (`left_to_platforms`) are left out. Raises BadEntryError if
    the reference is empty or too long.
    """
    if not reference.strip() or reference != reference.strip() or len(reference) > LONGEST:
        raise BadEntryError(f"The reference needs 1 to {LONGEST} characters, without spaces at its ends.")
    owed = _owed(project_id)
    people = _people(owed).filter(identities=None)
    due = [Due(one, owed[one.id], f"{reference}/{one.id}") for one in people]
    names = [one.reference for one in due]
    done = LedgerEntry.objects.filter(project_id=project_id, kind=PAID, reference__in=names)
    paid = set(done.values_list("reference", flat=True))
    return [one for one in due if one.reference not in paid]


def left_to_platforms(project_id: int) -> list[tuple[Worker, int]]:
    """Return the workers who came from a platform, with what they are owed in cents. Their platform pays them."""
    owed = _owed(project_id)
    return [(one, owed[one.id]) for one in _people(owed).exclude(identities=None).distinct()]


def _owed(project_id: int) -> dict[int, int]:
    return {worker: account.owed for worker, account in accounts(project_id).items() if account.owed > 0}


def _people(owed: Iterable[int]) -> QuerySet[Worker]:
    return Worker.objects.filter(id__in=owed, kind=Worker.Kind.PERSON).order_by("name")


def pay_all(*, project_id: int, reference: str, actor: str) -> list[Due]:
    """Record all payments that are due, and return them.

    Each payment is a transaction of its own: after an interruption, calling again pays the rest. Raises what
    `pay_worker` raises; the payments before that stay written.
    """
    due = payments_due(project_id, reference)
    for one in due:
        pay_worker(
            worker_id=one.worker.id, project_id=project_id, cents=one.cents, reference=one.reference, actor=actor
        )
    return due
