"""Check and write single ledger entries, and lock the account that they change.

The callers, one for each kind of entry, ensure that the entry is right: that a payment is owed, for example.
"""

from datetime import datetime

from annotation.models import Project
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.errors import BadEntryError, NoPartError, ReferenceTakenError
from runtime import clock
from workers.models import Worker

MOST = 100_000_000
"""Cents in one entry, so that a typing error is noticed."""
LONGEST_REASON = 1000
LONGEST_REFERENCE = 100


def hold_account(worker_id: int, project_id: int) -> None:
    """Lock the worker's row, so that changes of their account happen one at a time. Needs a transaction.

    Raises NoPartError if there is no such worker or project, it is a dry run, or the worker never
    had an assignment in it.
    """
    if not Worker.objects.select_for_update(no_key=True).filter(id=worker_id).exists():
        raise NoPartError(f"There is no worker {worker_id}.")
    dry_run = Project.objects.filter(id=project_id).values_list("dry_run", flat=True).first()
    if dry_run is None:
        raise NoPartError(f"There is no project {project_id}.")
    if dry_run:
        raise NoPartError("This project is a dry run: its workers are simulated, and nobody is paid.")
    if not Assignment.objects.filter(worker=worker_id, project=project_id).exists():
        raise NoPartError


def written_before(
    *, kind: LedgerEntry.Kind, worker_id: int, project_id: int, cents: int, reference: str
) -> LedgerEntry | None:
    """Return the entry that this reference belongs to, or None.

    Raises ReferenceTakenError if that entry has another worker or another amount.
    """
    if not reference:
        return None
    entry = LedgerEntry.objects.filter(project_id=project_id, kind=kind, reference=reference).first()
    if entry is not None and (entry.worker_id, entry.cents) != (worker_id, cents):
        raise ReferenceTakenError(
            f"The reference {reference!r} already belongs to {entry.cents} cents to {entry.worker}."
        )
    return entry


def write_entry(
    *,
    kind: LedgerEntry.Kind,
    worker_id: int,
    project_id: int,
    cents: int,
    reason: str,
    actor: str,
    reference: str = "",
    assignment_id: int | None = None,
    now: datetime | None = None,
) -> LedgerEntry:
    return LedgerEntry.objects.create(
        kind=kind,
        worker_id=worker_id,
        project_id=project_id,
        cents=cents,
        reason=reason.strip(),
        actor=actor,
        reference=reference,
        assignment_id=assignment_id,
        created_at=now or clock.now(),
    )


def check_entry(*, cents: int, reason: str, actor: str, reference: str = "") -> None:
    """Raise BadEntryError, with what is wrong, if the entry is not valid."""
    if type(cents) is not int or not 1 <= cents <= MOST:
        raise BadEntryError(f"An amount is a whole number of cents from 1 to {MOST:,}, not {cents!r}.")
    check_words(reason, actor)
    if len(reference) > LONGEST_REFERENCE or reference != reference.strip():
        raise BadEntryError(f"A reference has up to {LONGEST_REFERENCE} characters, without spaces at its ends.")


def check_words(reason: str, actor: str) -> None:
    """Raise BadEntryError unless there is a reason and the name of the person who gives it."""
    if not reason.strip():
        raise BadEntryError("Give a reason.")
    if len(reason) > LONGEST_REASON:
        raise BadEntryError(f"The reason has {len(reason)} characters; the limit is {LONGEST_REASON}.")
    if not 1 <= len(actor) <= 150:
        raise BadEntryError("Give your name, in up to 150 characters.")
