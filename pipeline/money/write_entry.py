"""Write one entry of the ledger, checked. What it needs to be right besides is the business of who calls it."""

from datetime import datetime

from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.errors import BadEntryError, NoPartError, ReferenceTakenError
from workers.models import Worker

MOST = 100_000_000
"""Cents in one entry: a slip of the finger should not fit."""
LONGEST_REASON = 1000
LONGEST_REFERENCE = 100


def hold_account(worker_id: int, project_id: int) -> None:
    """Lock the worker's row, so that one change of their account comes after the other. Within a transaction.

    NoPartError: there is no such worker or project, or they were never given anything to do in it.
    """
    if not Worker.objects.select_for_update(no_key=True).filter(id=worker_id).exists():
        raise NoPartError(f"There is no worker {worker_id}.")
    if not Project.objects.filter(id=project_id).exists():
        raise NoPartError(f"There is no project {project_id}.")
    if not Assignment.objects.filter(worker=worker_id, project=project_id).exists():
        raise NoPartError


def written_before(
    *, kind: LedgerEntry.Kind, worker_id: int, project_id: int, cents: int, reference: str
) -> LedgerEntry | None:
    """The entry of this reference, if it says the same; None: there is none. ReferenceTakenError: it says otherwise."""
    if not reference:
        return None
    entry = LedgerEntry.objects.filter(project_id=project_id, kind=kind, reference=reference).first()
    if entry is not None and (entry.worker_id, entry.cents) != (worker_id, cents):
        raise ReferenceTakenError(
            f"The reference {reference!r} stands for {entry.cents} cents to {entry.worker} already."
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
        created_at=now or timezone.now(),
    )


def check_entry(*, cents: int, reason: str, actor: str, reference: str = "") -> None:
    """BadEntryError says what does not fit."""
    if type(cents) is not int or not 1 <= cents <= MOST:
        raise BadEntryError(f"An amount is a whole number of cents from 1 to {MOST:,}, not {cents!r}.")
    check_words(reason, actor)
    if len(reference) > LONGEST_REFERENCE or reference != reference.strip():
        raise BadEntryError(f"A reference has up to {LONGEST_REFERENCE} characters, with no space around them.")


def check_words(reason: str, actor: str) -> None:
    """Nothing is moved or refused without a reason and somebody who gives it."""
    if not reason.strip():
        raise BadEntryError("Say why: there is no reason.")
    if len(reason) > LONGEST_REASON:
        raise BadEntryError(f"The reason has {len(reason)} characters; {LONGEST_REASON} are the most.")
    if not 1 <= len(actor) <= 150:
        raise BadEntryError("Say who does it, in up to 150 characters.")
