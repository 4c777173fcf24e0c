"""Pay, but do not use: the usual remedy. What an assignment answered is asked again as far as nothing followed."""

from typing import NamedTuple

from django.db import transaction

from pipeline.models import Assignment, Entry, Judgment, Transition
from pipeline.money.errors import LedgerError, NotSubmittedError
from pipeline.money.write_entry import check_words
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.intervene import void_judgments
from pipeline.rules.image.image_machine import EntryKind
from pipeline.rules.image.interventions import CannotVoidError
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.trust.ask_others import ask_others
from workers.models import Worker
from workers.send_message import send_message

Verdict = Assignment.Verdict
LONGEST_REASON = 300


class SoftRejection(NamedTuple):
    asked_again: int
    """Judgments that were taken back, or had not acted yet."""
    resolved: tuple[int, ...]
    """Ids of the judgments from which something has followed: that stays, and the requester may send the chains to
    review."""


class RejectedTestError(LedgerError):
    """A qualification test is used for nothing but the test."""


def soft_reject(*, assignment_id: int, reason: str, actor: str) -> SoftRejection:
    """Its pay stays as it is. Each judgment is voided in a transaction of its own: stopped in the middle and called
    again it goes on, and the first reason stays. BadEntryError, NotSubmittedError, RejectedTestError.
    """
    check_words(reason, actor)
    asked_again = None
    while asked_again is None:
        asked_again = _set_verdict(assignment_id, reason.strip())
        if asked_again is None:
            fold_judgments(list(Task), project_id=Assignment.objects.get(id=assignment_id).project_id)
    resolved = []
    for judgment, entry in _acted(assignment_id):
        try:
            void_judgments(image_id=entry.image_id, judgment_ids=[judgment], actor=actor, reason=reason.strip()[:500])
            asked_again += 1
        except CannotVoidError:
            resolved.append(judgment)
    return SoftRejection(asked_again, tuple(sorted(resolved)))


@transaction.atomic
def _set_verdict(assignment_id: int, reason: str) -> int | None:
    """How many of its questions were held for its batch and go to others; None: an answer is not in the record yet.

    What is refused is no longer folded, so everything has to be first. Who judges batches holds the worker's row too.
    """
    assignment = Assignment.objects.get(id=assignment_id)
    Worker.objects.select_for_update(no_key=True).get(id=assignment.worker_id)
    assignment.refresh_from_db(fields=["state", "verdict"])
    if assignment.kind == Assignment.Kind.TEST:
        raise RejectedTestError
    if assignment.state != Assignment.State.SUBMITTED:
        raise NotSubmittedError(f"The assignment is {assignment.state}: there are no answers of it in use.")
    if assignment.verdict == Verdict.REFUSED:
        return 0
    answered = Judgment.objects.filter(assignment=assignment_id, question__state=QuestionState.ANSWERED.value)
    if assignment.verdict != Verdict.WAITING and answered.filter(entry=None).exists():
        return None
    verdict = {"verdict": Verdict.REFUSED, "verdict_reason": reason[:LONGEST_REASON]}
    Assignment.objects.filter(id=assignment_id).update(**verdict)
    task = Task(assignment.task).label
    text = f"Your answers of an assignment ({task}) are paid, but not used. The requester says: {reason}"
    send_message(text=text[:2000], worker_ids=[assignment.worker_id], project_id=assignment.project_id)
    return ask_others([assignment_id], assignment.worker_id)


def _acted(assignment_id: int) -> list[tuple[int, Entry]]:
    """Judgments with their entries, the last first; without those that were voided, or came too late to act."""
    entries = Entry.objects.filter(judgment__assignment=assignment_id).order_by("-id")
    return [(entry.judgment_id, entry) for entry in entries if entry.judgment_id and not _is_void(entry)]


def _is_void(entry: Entry) -> bool:
    of_image = {"image": entry.image_id}
    voidings = Entry.objects.filter(**of_image, kind=EntryKind.VOID.value, sequence__gt=entry.sequence)
    if any(entry.sequence in data["entries"] for data in voidings.values_list("data", flat=True)):
        return True
    return Transition.objects.filter(**of_image, sequence=entry.sequence, reason="late judgment").exists()
