"""Write down what a platform has paid. It is paid, whatever the ledger thinks: what was not owed becomes a bonus."""

from datetime import datetime
from typing import Any

from django.db import transaction

from pipeline.models import LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.ledger import account_of
from pipeline.money.write_entry import check_entry, write_entry, written_before
from workers.models import Worker

Kind = LedgerEntry.Kind
BEYOND = "What the platform pays beyond what was earned."


@transaction.atomic
def record_platform_pay(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reference: str,
    actor: str,
    reason: str,
    beyond_cents: int = 0,
    now: datetime | None = None,
) -> LedgerEntry:
    """The same reference again is the same payment. `beyond_cents`: of it, what its session did not earn.

    No spend cap stops it: the money has gone. BadEntryError, ReferenceTakenError: nothing is written.
    """
    check_entry(cents=cents, reason=reason, actor=actor, reference=reference)
    # Not `hold_account`: a platform may have paid somebody who did nothing here, and then the ledger says so.
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    who: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id}
    before = written_before(kind=Kind.PAID, cents=cents, reference=reference, **who)
    if before:
        return before
    said: dict[str, Any] = {"actor": actor, "reference": reference, "now": now}
    beyond = max(beyond_cents, cents - account_of(worker_id, project_id).owed)
    if beyond > 0:
        write_entry(kind=Kind.BONUS, cents=beyond, reason=BEYOND, **who, **said)
        spend_cap.charge(project_id, beyond)
    return write_entry(kind=Kind.PAID, cents=cents, reason=reason, **who, **said)
