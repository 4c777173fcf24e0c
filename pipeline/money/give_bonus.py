"""Promise a worker a bonus on top of what their assignments earn. It is owed until it is paid."""

from datetime import datetime

from django.db import transaction

from pipeline.models import LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.errors import OverCapError
from pipeline.money.write_entry import check_entry, hold_account, write_entry, written_before
from pipeline.project.settings_versions import current_settings


@transaction.atomic
def give_bonus(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reason: str,
    actor: str,
    reference: str = "",
    now: datetime | None = None,
) -> LedgerEntry:
    """Write a bonus into the ledger. A bonus needs a reason, a name, and room under the project's spend cap.

    `reference`: calling twice with the same one gives one bonus; without one each call gives another. Raises
    BadEntryError, NoPartError or ReferenceTakenError, and OverCapError beyond the spend cap; nothing is written then.
    """
    who = {"worker_id": worker_id, "project_id": project_id, "actor": actor}
    entry = LedgerEntry(kind=LedgerEntry.Kind.BONUS, cents=cents, reason=reason, reference=reference, **who)
    check_entry(entry)
    hold_account(entry)
    if before := written_before(entry):
        return before
    _, settings = current_settings(project_id)
    if not spend_cap.commit(project_id, cents, settings.spend_cap_cents, answer_cap=settings.answer_cap):
        raise OverCapError
    return write_entry(entry, now)
