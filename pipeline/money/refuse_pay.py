"""Refuse the pay of an assignment by hand, with a reason that is sent to the worker, and take a refusal back."""

from datetime import datetime

from django.db import transaction

from pipeline.models import Assignment, LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.errors import AlreadyPaidError, NothingRefusedError, NothingToRefuseError, NotSubmittedError
from pipeline.money.ledger import refused_of, unpaid_of
from pipeline.money.write_entry import check_entry, check_words, hold_account, write_entry
from pipeline.project.settings_versions import current_settings
from runtime.words import money
from workers.messages import send_message
from workers.rules.texts import Text


@transaction.atomic
def refuse_pay(
    *, assignment_id: int, reason: str, actor: str, cents: int | None = None, now: datetime | None = None
) -> LedgerEntry:
    """Write a refusal into the ledger and send a message to the worker.

    `cents`: None for everything that the assignment earned and that is not refused yet. Raises BadEntryError,
    NotSubmittedError, NothingToRefuseError, or AlreadyPaidError with the amount that can still be refused; nothing is
    written then.
    """
    check_words(reason, actor)
    assignment = Assignment.objects.get(id=assignment_id)
    worker, project = assignment.worker_id, assignment.project_id
    hold_account(worker, project)
    if assignment.state != Assignment.State.SUBMITTED:
        raise NotSubmittedError(f"The assignment is {assignment.state}: it earned nothing that could be refused.")
    left = assignment.earned_cents - refused_of(worker, project).get(assignment_id, 0)
    if not left:
        raise NothingToRefuseError
    wanted = left if cents is None else cents
    check_entry(cents=wanted, reason=reason, actor=actor)
    unpaid = unpaid_of(assignment)
    if wanted > unpaid:
        raise AlreadyPaidError(
            f"{unpaid} of its {assignment.earned_cents} cents can be refused, not {wanted}: the rest was paid already."
        )
    return _write(assignment, LedgerEntry.Kind.REFUSED, wanted, reason, actor, now)


@transaction.atomic
def restore_pay(*, assignment_id: int, reason: str, actor: str, now: datetime | None = None) -> LedgerEntry:
    """Restore all refused pay of the assignment and send a message to the worker.

    The spend cap does not stop it: the work was done under the cap. Raises BadEntryError or NothingRefusedError;
    nothing is written then.
    """
    check_words(reason, actor)
    assignment = Assignment.objects.get(id=assignment_id)
    worker, project = assignment.worker_id, assignment.project_id
    hold_account(worker, project)
    refused = refused_of(worker, project).get(assignment_id, 0)
    if not refused:
        raise NothingRefusedError
    return _write(assignment, LedgerEntry.Kind.RESTORED, refused, reason, actor, now)


def _write(
    assignment: Assignment, kind: LedgerEntry.Kind, cents: int, reason: str, actor: str, now: datetime | None
) -> LedgerEntry:
    """Write the entry, change what the project has promised, and send the worker the amount and the assignment."""
    worker, project = assignment.worker_id, assignment.project_id
    entry = write_entry(
        kind=kind,
        worker_id=worker,
        project_id=project,
        cents=cents,
        reason=reason,
        actor=actor,
        assignment_id=assignment.pk,
        now=now,
    )
    is_refusal = kind == LedgerEntry.Kind.REFUSED
    spend_cap.release(project, cents if is_refusal else -cents)
    text = Text.PAY_REFUSED if is_refusal else Text.PAY_RESTORED
    _, settings = current_settings(project)
    coded = text.coded(
        amount=money(cents, settings.currency),
        task=assignment.task,
        time=(assignment.ended_at or assignment.created_at).isoformat(),
        reason=entry.reason,
    )
    send_message(text=coded, worker_ids=[worker], project_id=project)
    return entry
