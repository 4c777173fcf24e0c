"""Take back the refusal of an assignment's pay: the pay is owed again."""

from datetime import datetime

from django.db import transaction

from pipeline.models import Assignment, LedgerEntry
from pipeline.money import spend_cap
from pipeline.money.errors import NothingRefusedError
from pipeline.money.ledger import refused_of
from pipeline.money.refuse_pay import notify_worker
from pipeline.money.write_entry import check_words, hold_account, write_entry
from workers.rules.texts import Text


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
    entry = write_entry(
        kind=LedgerEntry.Kind.RESTORED,
        worker_id=worker,
        project_id=project,
        cents=refused,
        reason=reason,
        actor=actor,
        assignment_id=assignment_id,
        now=now,
    )
    spend_cap.charge(project, refused)
    notify_worker(assignment, Text.PAY_RESTORED, entry)
    return entry
