"""Record that a worker was paid, by hand or by a platform, or all workers of a project.

The money itself is moved elsewhere, before or after.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from pipeline.models import LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.ledger import account_of, accounts
from pipeline.money.write_entry import (
    BadEntryError,
    NotOwedError,
    OverCapError,
    check_entry,
    hold_account,
    write_entry,
    written_before,
)
from pipeline.project.settings_versions import current_settings
from workers.models import Worker

Kind = LedgerEntry.Kind
MAX_REFERENCE_LENGTH = 80
"""Characters of the reference. Each worker's payment is named by it and the worker's id."""
EARNED = gettext_noop("Paid for what was earned.")
BEYOND = gettext_noop("Paid by the platform beyond what was earned.")


@transaction.atomic
def pay_worker(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reference: str,
    actor: str,
    reason: str = EARNED,
) -> LedgerEntry:
    """Write a payment into the ledger.

    `reference`: the payment's name where the money is moved. Calling twice with the same reference and amount records
    one payment. Raises BadEntryError, NoPartError or ReferenceTakenError, and NotOwedError if the amount is more than
    the worker is owed; nothing is written then.
    """
    who = {"worker_id": worker_id, "project_id": project_id, "actor": actor}
    entry = LedgerEntry(kind=Kind.PAID, cents=cents, reason=reason, reference=reference, **who)
    check_entry(entry)
    if not reference:
        raise BadEntryError("A payment needs a reference, so that it is not recorded twice.")
    hold_account(entry)
    if before := written_before(entry):
        return before
    owed = account_of(worker_id, project_id).owed
    if cents > owed:
        raise NotOwedError(f"{cents} cents are more than the {owed} that are owed. Give the rest as a bonus.")
    return write_entry(entry)


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
    if not reference.strip() or reference != reference.strip() or len(reference) > MAX_REFERENCE_LENGTH:
        raise BadEntryError(f"The reference needs 1 to {MAX_REFERENCE_LENGTH} characters, without spaces at its ends.")
    owed = _owed(project_id)
    people = _people(owed).filter(identities=None)
    due = [Due(person, owed[person.id], f"{reference}/{person.id}") for person in people]
    names = [payment.reference for payment in due]
    done = LedgerEntry.objects.filter(project_id=project_id, kind=Kind.PAID, reference__in=names)
    paid = set(done.values_list("reference", flat=True))
    return [payment for payment in due if payment.reference not in paid]


def left_to_platforms(project_id: int) -> list[tuple[Worker, int]]:
    """Return the workers who came from a platform, with what they are owed in cents. Their platform pays them."""
    owed = _owed(project_id)
    return [(person, owed[person.id]) for person in _people(owed).exclude(identities=None).distinct()]


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
    for payment in due:
        pay_worker(
            worker_id=payment.worker.id,
            project_id=project_id,
            cents=payment.cents,
            reference=payment.reference,
            actor=actor,
        )
    return due


@transaction.atomic
def record_platform_pay(
    *,
    worker_id: int,
    project_id: int,
    cents: int,
    reference: str,
    actor: str,
    reason: str,
    unearned_cents: int = 0,
    now: datetime | None = None,
) -> LedgerEntry:
    """Write a platform's payment into the ledger. Calling twice with the same reference records one payment.

    `unearned_cents`: the part that the worker's session did not earn. The spend cap does not stop it: the money is
    gone. Raises BadEntryError or ReferenceTakenError; nothing is written then.
    """
    by = {"worker_id": worker_id, "project_id": project_id, "actor": actor, "reference": reference}
    entry = LedgerEntry(kind=Kind.PAID, cents=cents, reason=reason, **by)
    check_entry(entry)
    # Not `hold_account`: a platform may have paid a worker who did nothing here, and the ledger must show that.
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    if before := written_before(entry):
        return before
    beyond = max(unearned_cents, cents - account_of(worker_id, project_id).owed)
    if beyond > 0:
        write_entry(LedgerEntry(kind=Kind.BONUS, cents=beyond, reason=BEYOND, **by), now)
        spend_cap.charge(project_id, beyond)
    return write_entry(entry, now)


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
