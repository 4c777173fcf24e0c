"""Write down that a worker was paid. The money itself is moved elsewhere, before or after."""

from datetime import datetime

from django.db import transaction

from pipeline.models import LedgerEntry
from pipeline.money.errors import BadEntryError, NotOwedError
from pipeline.money.ledger import account_of
from pipeline.money.write_entry import check_entry, hold_account, write_entry, written_before

PAID = LedgerEntry.Kind.PAID


@transaction.atomic
def pay_worker(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reference: str,
    actor: str,
    reason: str = "Paid for what was earned.",
    now: datetime | None = None,
) -> LedgerEntry:
    """`reference`: how whoever moves the money names it. Said again with the same amount it is the same payment.

    BadEntryError, NoPartError, ReferenceTakenError; NotOwedError: it is more than is owed. Then nothing is written.
    """
    check_entry(cents=cents, reason=reason, actor=actor, reference=reference)
    if not reference:
        raise BadEntryError("A payment needs a reference: by it the same payment is not written down twice.")
    hold_account(worker_id, project_id)
    before = written_before(kind=PAID, worker_id=worker_id, project_id=project_id, cents=cents, reference=reference)
    if before:
        return before
    owed = account_of(worker_id, project_id).owed
    if cents > owed:
        raise NotOwedError(f"{cents} cents are more than the {owed} that are owed. Give what is beyond it as a bonus.")
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
