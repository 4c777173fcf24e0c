"""The one writer of a question's `state` (open, answered, closed) and of its lease (`assignment`).

Every function runs in the caller's transaction, in one statement, and moves a row only if it still is as it was read.
Functions that name single questions raise StateMovedError if one of them has moved; then the transaction must end.

    open_new(questions)                       the fold opens questions
    lend(ids, assignment_id, spare=())        asking: an open question, free or already lent to this assignment
    release(ids, assignment_id)               asking: questions that a submission left out are free again
    release_all(assignment_ids)               asking: a lease ended
    release_to_others(assignment_ids, worker) trust: a refused batch; this worker is not asked again
    mark_answered(ids, assignment_id)         asking: an answer is stored and waits to be folded
    mark_held_answered(assignment_ids)        trust: a batch was accepted, so its answers wait to be folded
    close(rows, old), open_again(rows)        the fold closes a question, or needs another judgment of it
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.db.models import Case, Q, QuerySet, Value, When

from pipeline.errors import StateMovedError
from pipeline.models import Question
from pipeline.record.bulk_rows import update_many
from pipeline.rules.tasks.task import QuestionState

KEY = ("image", "number")


class Closing(NamedTuple):
    image_id: int
    number: int
    outcome: str


class Reopening(NamedTuple):
    image_id: int
    number: int
    barred: Sequence[int]
    shown: dict[str, Any]


def open_new(questions: Sequence[Question]) -> None:
    """Insert questions; a new one is open and lent to nobody."""
    Question.objects.bulk_create(questions)


def lend(question_ids: Collection[int], assignment_id: int, *, spare: Collection[int] = ()) -> None:
    """Lend open questions to an assignment, or keep them on loan to it.

    `spare` questions were looked at, but not chosen. They are written as they were, so that a worker cannot tell from
    the time it takes how many verification questions are in the assignment.
    """
    holder: Any = assignment_id
    if spare:
        holder = Case(When(id__in=question_ids, then=Value(assignment_id)), default=None)
    wanted = [*question_ids, *spare]
    still = Question.objects.filter(_free_or_ours(assignment_id), id__in=wanted)
    if still.update(assignment=holder) != len(wanted):
        raise StateMovedError


def release(question_ids: Collection[int], assignment_id: int) -> None:
    """Free these questions again, as far as this assignment holds them."""
    Question.objects.filter(id__in=question_ids, assignment=assignment_id).update(assignment=None)


def release_all(assignment_ids: Collection[int]) -> None:
    """Free every question that these assignments hold."""
    Question.objects.filter(assignment__in=assignment_ids).update(assignment=None)


def release_to_others(assignment_ids: Collection[int], worker_id: int) -> int:
    """Free the questions that a worker's assignments hold, and return their number.

    As after a skip, the same worker is not asked them again.
    """
    held = _held(assignment_ids).select_for_update().order_by("id")
    rows = [(number, [*skipped, worker_id]) for number, skipped in held.values_list("id", "skipped")]
    written = [(number, skipped, len(skipped), None) for number, skipped in rows]
    update_many(Question, ["id"], ["skipped", "skipped_count", "assignment"], written)
    return len(written)


def mark_answered(question_ids: Collection[int], assignment_id: int) -> None:
    """Mark open questions as answered; each must be lent to this assignment, or to nobody."""
    still = Question.objects.filter(_free_or_ours(assignment_id), id__in=question_ids)
    if still.update(state=QuestionState.ANSWERED.value, assignment=None) != len(question_ids):
        raise StateMovedError


def mark_held_answered(assignment_ids: Collection[int]) -> None:
    """Mark all open questions that these assignments hold as answered."""
    _held(assignment_ids).update(state=QuestionState.ANSWERED.value, assignment=None)


def close(rows: Sequence[Closing], old: QuestionState) -> None:
    """Close questions that are in the state `old`."""
    written = [(*row, QuestionState.CLOSED.value, None) for row in rows]
    only = f"t.state = '{old.value}'"
    if update_many(Question, KEY, ["outcome", "state", "assignment"], written, only=only) != len(rows):
        raise StateMovedError


def open_again(rows: Sequence[Reopening]) -> None:
    """Open answered questions again, for workers who are not barred from them."""
    written = [
        (row.image_id, row.number, QuestionState.OPEN.value, row.barred, len(row.barred), row.shown) for row in rows
    ]
    only = f"t.state = '{QuestionState.ANSWERED.value}'"
    if update_many(Question, KEY, ["state", "barred", "barred_count", "shown"], written, only=only) != len(rows):
        raise StateMovedError


def _free_or_ours(assignment_id: int) -> Q:
    return Q(Q(assignment=assignment_id) | Q(assignment=None), state=QuestionState.OPEN.value)


def _held(assignment_ids: Collection[int]) -> QuerySet[Question]:
    return Question.objects.filter(assignment__in=assignment_ids, state=QuestionState.OPEN.value)
