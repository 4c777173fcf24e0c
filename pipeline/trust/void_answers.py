"""Void a worker's answers: those of an assignment, which is paid but not used, or all on a task without effect yet."""

from typing import NamedTuple

from annotation.rules.states import ImageState
from pipeline.models import Assignment, Entry, Judgment, Transition
from pipeline.money.write_entry import LedgerError, NotSubmittedError, check_words
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress import CHANGED_NOTHING
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.intervene import void_judgments
from pipeline.record.question_state import release_to_others
from runtime.database import atomic_again
from workers.messages import send_message
from workers.models import Worker
from workers.rules.texts import WorkerText

Acceptance = Assignment.Acceptance
LONGEST_REASON = 300


class SoftRejection(NamedTuple):
    """The effect of a soft rejection on the assignment's judgments."""

    repeated: int
    """Judgments that were voided, or had not acted yet."""
    resolved: tuple[int, ...]
    """Ids of judgments from which something has followed. They stay; the requester may send their chains to review."""


class RejectedTestError(LedgerError):
    """This is a qualification test. Its answers are used for nothing but the test."""


def soft_reject(*, assignment_id: int, reason: str, actor: str) -> SoftRejection:
    """Void the assignment's judgments from which nothing has followed, and ask their questions again.

    The pay stays as it is. Each judgment is voided in a transaction of its own: after an interruption, calling again
    voids the rest, and the first reason stays. Raises BadEntryError, NotSubmittedError or RejectedTestError.
    """
    check_words(reason, actor)
    asked_again = None
    while asked_again is None:
        asked_again = _refuse(assignment_id, reason.strip())
        if asked_again is None:
            apply_judgments(list(Task), project_id=Assignment.objects.get(id=assignment_id).project_id)
    resolved = []
    for judgment, entry in _acted(assignment_id):
        try:
            void_judgments(image_id=entry.image_id, judgment_ids=[judgment], actor=actor, reason=reason.strip()[:500])
            asked_again += 1
        except CannotVoidError:
            resolved.append(judgment)
    return SoftRejection(asked_again, tuple(sorted(resolved)))


@atomic_again
def _refuse(assignment_id: int, reason: str) -> int | None:
    """Mark the answers as not used. Returns how many questions were on loan for its batch, which go to others now.

    Returns None, and changes nothing, if an answer is not in the record yet: refused answers are not folded any more,
    so all of them have to be folded first. Locks the worker's row, as judging batches does.
    """
    assignment = Assignment.objects.get(id=assignment_id)
    Worker.objects.select_for_update(no_key=True).get(id=assignment.worker_id)
    assignment.refresh_from_db(fields=["state", "acceptance"])
    if assignment.kind == Assignment.Kind.TEST:
        raise RejectedTestError
    if assignment.state != Assignment.State.SUBMITTED:
        raise NotSubmittedError(f"The assignment is {assignment.state}: none of its answers are in use.")
    if assignment.acceptance == Acceptance.REFUSED:
        return 0
    answered = Judgment.objects.filter(assignment=assignment_id, question__state=QuestionState.ANSWERED.value)
    if assignment.acceptance != Acceptance.WAITING and answered.filter(entry=None).exists():
        return None
    refused = {"acceptance": Acceptance.REFUSED, "acceptance_reason": reason[:LONGEST_REASON]}
    Assignment.objects.filter(id=assignment_id).update(**refused)
    text = WorkerText.NOT_USED.coded(task=assignment.task, reason=reason)
    send_message(text=text, worker_ids=[assignment.worker_id], project_id=assignment.project_id)
    return release_to_others([assignment_id], assignment.worker_id)


def _acted(assignment_id: int) -> list[tuple[int, Entry]]:
    """Return the judgments' ids with their entries, newest first, without those that were voided or came too late."""
    entries = Entry.objects.filter(judgment__assignment=assignment_id).order_by("-id")
    return [(entry.judgment_id, entry) for entry in entries if entry.judgment_id and not _is_void(entry)]


def _is_void(entry: Entry) -> bool:
    of_image = {"image": entry.image_id}
    voidings = Entry.objects.filter(**of_image, kind=EntryKind.VOID.value, sequence__gt=entry.sequence)
    if any(entry.sequence in data["entries"] for data in voidings.values_list("data", flat=True)):
        return True
    return Transition.objects.filter(**of_image, sequence=entry.sequence, reason__in=CHANGED_NOTHING).exists()


def void_unresolved(*, worker_id: int, project_id: int, task: Task, reason: str, actor: str = "") -> int:
    """Void the judgments, and return how many there were. Judgments from which something has followed stay.

    Each judgment is voided in a transaction of its own: after an interruption, calling again voids the rest.
    """
    apply_judgments(list(Task), project_id=project_id)
    own = Entry.objects.filter(project_id=project_id, judgment__worker=worker_id, judgment__question__task=task.value)
    if task not in SURVEY_TASKS:  # from a vote of a survey nothing follows, and nothing else in a merged image is open
        own = own.exclude(image__state=ImageState.MERGED.value)
    rows = own.order_by("-id").values_list("image_id", "judgment_id")
    voided = 0
    for image, judgment in list(rows):
        try:
            void_judgments(image_id=image, judgment_ids=[judgment], actor=actor, reason=reason)
        except CannotVoidError:
            continue
        voided += 1
    return voided
