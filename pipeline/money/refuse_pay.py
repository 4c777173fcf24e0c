"""Refuse the pay of an assignment by hand, with a reason that is sent to the worker, and take a refusal back."""

from datetime import datetime

from django.db import transaction

from pipeline.models import Assignment, LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.ledger import refused_of, unpaid_of
from pipeline.money.write_entry import (
    AlreadyPaidError,
    NothingRefusedError,
    NothingToRefuseError,
    NotSubmittedError,
    check_entry,
    check_words,
    hold_account,
    write_entry,
)
from pipeline.project.settings_versions import current_settings
from runtime.words import money
from workers.messages import send_message
from workers.rules.texts import WorkerText

Kind = LedgerEntry.Kind


@transaction.atomic
def refuse_pay(
    *, assignment_id: int, reason: str, actor: str, cents: int | None = None, now: datetime | None = None
) -> LedgerEntry:
    """Write a refusal into the ledger and send a message to the worker.

    `cents`: None for everything that the assignment earned and that is not refused yet. Raises BadEntryError,
    NotSubmittedError, NothingToRefuseError, or AlreadyPaidError with the amount that can still be refused; nothing is
    written then.
    """
    assignment, entry, refused = _locked(assignment_id, Kind.REFUSED, reason, actor)
    if assignment.state != Assignment.State.SUBMITTED:
        raise NotSubmittedError(f"The assignment is {assignment.state}: it earned nothing that could be refused.")
    left = assignment.earned_cents - refused
    if not left:
        raise NothingToRefuseError
    entry.cents = left if cents is None else cents
    check_entry(entry)
    unpaid = unpaid_of(assignment)
    if entry.cents > unpaid:
        raise AlreadyPaidError(
            f"{unpaid} of its {assignment.earned_cents} cents can be refused, not {entry.cents}:"
            " the rest was paid already."
        )
    return _write(assignment, entry, WorkerText.PAY_REFUSED, now)


@transaction.atomic
def restore_pay(*, assignment_id: int, reason: str, actor: str) -> LedgerEntry:
    """Restore all refused pay of the assignment and send a message to the worker.

    The spend cap does not stop it: the work was done under the cap. Raises BadEntryError or NothingRefusedError;
    nothing is written then.
    """
    assignment, entry, refused = _locked(assignment_id, Kind.RESTORED, reason, actor)
    if not refused:
        raise NothingRefusedError
    entry.cents = refused
    return _write(assignment, entry, WorkerText.PAY_RESTORED)


def _locked(assignment_id: int, kind: LedgerEntry.Kind, reason: str, actor: str) -> tuple[Assignment, LedgerEntry, int]:
    """Hold the account, and return the assignment, an entry about it without an amount, and what is refused of it."""
    check_words(reason, actor)
    assignment = Assignment.objects.get(id=assignment_id)
    who = {"worker_id": assignment.worker_id, "project_id": assignment.project_id, "assignment_id": assignment_id}
    entry = LedgerEntry(kind=kind, reason=reason, actor=actor, **who)
    hold_account(entry)
    return assignment, entry, refused_of(entry.worker_id, entry.project_id).get(assignment_id, 0)


def _write(assignment: Assignment, entry: LedgerEntry, text: WorkerText, now: datetime | None = None) -> LedgerEntry:
    """Write the entry, change what the project has promised, and send the worker the amount and the assignment."""
    write_entry(entry, now)
    project = entry.project_id
    spend_cap.release(project, entry.cents if entry.kind == Kind.REFUSED else -entry.cents)
    _, settings = current_settings(project)
    coded = text.coded(
        amount=money(entry.cents, settings.currency),
        task=assignment.task,
        time=(assignment.ended_at or assignment.created_at).isoformat(),
        reason=entry.reason,
    )
    send_message(text=coded, worker_ids=[entry.worker_id], project_id=project)
    return entry
