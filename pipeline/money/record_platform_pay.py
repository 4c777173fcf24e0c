"""Record what a platform has paid. The money has been paid, whatever the ledger says: the part not owed is a bonus."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from pipeline.models import LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.ledger import account_of
from pipeline.money.write_entry import check_entry, write_entry, written_before
from workers.models import Worker

Kind = LedgerEntry.Kind
BEYOND = gettext_noop("Paid by the platform beyond what was earned.")


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
    """Write a platform's payment into the ledger. Calling twice with the same reference records one payment.

    `beyond_cents`: the part that the worker's session did not earn. The spend cap does not stop it: the money is
    gone. Raises BadEntryError or ReferenceTakenError; nothing is written then.
    """
    check_entry(cents=cents, reason=reason, actor=actor, reference=reference)
    # Not `hold_account`: a platform may have paid a worker who did nothing here, and the ledger must show that.
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    who: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id}
    before = written_before(kind=Kind.PAID, cents=cents, reference=reference, **who)
    if before:
        return before
    source: dict[str, Any] = {"actor": actor, "reference": reference, "now": now}
    beyond = max(beyond_cents, cents - account_of(worker_id, project_id).owed)
    if beyond > 0:
        write_entry(kind=Kind.BONUS, cents=beyond, reason=BEYOND, **who, **source)
        spend_cap.charge(project_id, beyond)
    return write_entry(kind=Kind.PAID, cents=cents, reason=reason, **who, **source)
