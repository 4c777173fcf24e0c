"""Record that a worker was paid. The money itself is moved elsewhere, before or after."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop

from pipeline.models import LedgerEntry
from pipeline.money.errors import BadEntryError, NotOwedError
from pipeline.money.ledger import account_of
from pipeline.money.write_entry import check_entry, hold_account, write_entry, written_before

PAID = LedgerEntry.Kind.PAID
EARNED = gettext_noop("Paid for what was earned.")


@transaction.atomic
def pay_worker(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reference: str,
    actor: str,
    reason: str = EARNED,
    now: datetime | None = None,
) -> LedgerEntry:
    """Write a payment into the ledger.

    `reference`: the payment's name where the money is moved. Calling twice with the same reference and amount records
    one payment. Raises BadEntryError, NoPartError or ReferenceTakenError, and NotOwedError if the amount is more than
    the worker is owed; nothing is written then.
    """
    check_entry(cents=cents, reason=reason, actor=actor, reference=reference)
    if not reference:
        raise BadEntryError("A payment needs a reference, so that it is not recorded twice.")
    hold_account(worker_id, project_id)
    before = written_before(kind=PAID, worker_id=worker_id, project_id=project_id, cents=cents, reference=reference)
    if before:
        return before
    owed = account_of(worker_id, project_id).owed
    if cents > owed:
        raise NotOwedError(f"{cents} cents are more than the {owed} that are owed. Give the rest as a bonus.")
    return write_entry(
        kind=PAID,
        worker_id=worker_id,
        project_id=project_id,
        cents=cents,
        reason=reason,
        actor=actor,
        reference=reference,
        now=now,
    )
