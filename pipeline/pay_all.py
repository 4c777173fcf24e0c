"""Write down that everybody was paid what they are owed, under one reference."""

from typing import NamedTuple

from pipeline.ledger import accounts
from pipeline.ledger_errors import BadEntryError
from pipeline.pay_worker import PAID, pay_worker
from workers.models import LedgerEntry, Worker

LONGEST = 80
"""Characters of the reference: each worker's payment is named by it and the worker's id."""


class Due(NamedTuple):
    worker: Worker
    cents: int
    reference: str


def payments_due(project_id: int, reference: str) -> list[Due]:
    """What `pay_all` would pay: to each person what they are owed, unless this reference has paid them already.

    Programs and virtual workers are left out. BadEntryError: the reference is empty or too long.
    """
    if not reference.strip() or reference != reference.strip() or len(reference) > LONGEST:
        raise BadEntryError(f"The reference needs 1 to {LONGEST} characters, with no space around them.")
    owed = {worker: account.owed for worker, account in accounts(project_id).items() if account.owed > 0}
    people = Worker.objects.filter(id__in=owed, kind=Worker.Kind.PERSON).order_by("name")
    due = [Due(one, owed[one.id], f"{reference}/{one.id}") for one in people]
    names = [one.reference for one in due]
    done = LedgerEntry.objects.filter(project_id=project_id, kind=PAID, reference__in=names)
    paid = set(done.values_list("reference", flat=True))
    return [one for one in due if one.reference not in paid]


def pay_all(*, project_id: int, reference: str, actor: str) -> list[Due]:
    """Returns the payments. Each is a transaction of its own: stopped in the middle and called again, the rest is done.

    LedgerError: as of `pay_worker`; those before it are written.
    """
    due = payments_due(project_id, reference)
    for one in due:
        pay_worker(
            worker_id=one.worker.id, project_id=project_id, cents=one.cents, reference=one.reference, actor=actor
        )
    return due
