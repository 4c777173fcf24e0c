"""Check and write single ledger entries, each made by its caller and not saved yet, and lock the account they change.

The callers, one for each kind of entry, ensure that the entry is right: that a payment is owed, for example.
"""

from datetime import datetime

from annotation.models import Project
from pipeline.errors import PipelineError
from pipeline.models import Assignment, LedgerEntry
from runtime import clock
from workers.models import Worker


class LedgerError(PipelineError):
    """The ledger cannot take this entry."""


class BadEntryError(LedgerError):
    """The amount, the reason, the reference or the name is missing or not valid."""


class NoPartError(LedgerError):
    """The worker was never given an assignment in this project."""


class ReferenceTakenError(LedgerError):
    """This reference belongs to another payment already."""


class NotOwedError(LedgerError):
    """The amount is more than the worker is owed."""


class OverCapError(LedgerError):
    """The bonus would exceed the project's spend cap."""


class NotSubmittedError(LedgerError):
    """The assignment was not submitted."""


class AlreadyPaidError(LedgerError):
    """Pay that was paid out already cannot be refused."""


class NothingToRefuseError(LedgerError):
    """The assignment earned nothing that could be refused."""


class NothingRefusedError(LedgerError):
    """No pay of this assignment is refused."""


MAX_CENTS = 100_000_000
"""Cents in one entry, so that a typing error is noticed."""
LONGEST_REASON = 1000
LONGEST_REFERENCE = 100


def hold_account(entry: LedgerEntry) -> None:
    """Lock the worker's row, so that changes of their account happen one at a time. Needs a transaction.

    Raises NoPartError if there is no such worker or project, it is a dry run, or the worker never
    had an assignment in it.
    """
    worker, project = entry.worker_id, entry.project_id
    if not Worker.objects.select_for_update(no_key=True).filter(id=worker).exists():
        raise NoPartError(f"There is no worker {worker}.")
    dry_run = Project.objects.filter(id=project).values_list("dry_run", flat=True).first()
    if dry_run is None:
        raise NoPartError(f"There is no project {project}.")
    if dry_run:
        raise NoPartError("This project is a dry run: its workers are simulated, and nobody is paid.")
    if not Assignment.objects.filter(worker=worker, project=project).exists():
        raise NoPartError


def written_before(entry: LedgerEntry) -> LedgerEntry | None:
    """Return the entry that this one's reference belongs to, or None.

    Raises ReferenceTakenError if that entry has another worker or another amount.
    """
    if not entry.reference:
        return None
    same = {"project_id": entry.project_id, "kind": entry.kind, "reference": entry.reference}
    before = LedgerEntry.objects.filter(**same).first()
    if before is not None and (before.worker_id, before.cents) != (entry.worker_id, entry.cents):
        raise ReferenceTakenError(
            f"The reference {entry.reference!r} already belongs to {before.cents} cents to {before.worker}."
        )
    return before


def write_entry(entry: LedgerEntry, now: datetime | None = None) -> LedgerEntry:
    entry.reason, entry.created_at = entry.reason.strip(), now or clock.now()
    entry.save(force_insert=True)
    return entry


def check_entry(entry: LedgerEntry) -> None:
    """Raise BadEntryError, with what is wrong, if the entry is not valid."""
    if type(entry.cents) is not int or not 1 <= entry.cents <= MAX_CENTS:
        raise BadEntryError(f"An amount is a whole number of cents from 1 to {MAX_CENTS:,}, not {entry.cents!r}.")
    check_words(entry.reason, entry.actor)
    if len(entry.reference) > LONGEST_REFERENCE or entry.reference != entry.reference.strip():
        raise BadEntryError(f"A reference has up to {LONGEST_REFERENCE} characters, without spaces at its ends.")


def check_words(reason: str, actor: str) -> None:
    """Raise BadEntryError unless there is a reason and the name of the person who gives it."""
    if not reason.strip():
        raise BadEntryError("Give a reason.")
    if len(reason) > LONGEST_REASON:
        raise BadEntryError(f"The reason has {len(reason)} characters; the limit is {LONGEST_REASON}.")
    if not 1 <= len(actor) <= 150:
        raise BadEntryError("Give your name, in up to 150 characters.")
