"""The one writer of a question's `state` (open, answered, closed) and of its lease (`assignment`).

Every function runs in the caller's transaction, in one statement, and moves a row only if it still is as it was read.
Functions that name single questions raise StateMovedError if one of them has moved; then the transaction must end.

    open_new(questions)                       the fold opens questions
    lend(ids, assignment_id, free=())         asking: an open question, free or already lent to this assignment
    release(ids, assignment_id)               asking: questions that a submission left out are free again
    release_all(assignment_ids)               asking: a lease ended
    release_to_others(assignment_ids, worker) a refused batch, or left out: this worker is not asked again
    mark_answered(ids, assignment_id, free=()) asking: an answer is stored and waits to be folded
    mark_held_answered(assignment_ids)        trust: a batch was accepted, so its answers wait to be folded
    close(rows, old), open_again(rows)        the fold closes a question, or needs another judgment of it
    open_closed(rows)                         an undo gives back a question that an expert's act had closed
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Case, F, Q, QuerySet, Value, When

from pipeline.errors import StateMovedError
from pipeline.models import Question
from pipeline.protocol.tasks.task import QuestionState
from pipeline.record.bulk_rows import update_many
from runtime.database import PreparedUpdate, Slot, slots

KEY = ("image", "number")
REOPENED_COLUMNS = ("state", "barred", "barred_count", "shown", "value", "predicted")
"""The columns of a question that is opened again."""
NO_QUESTION = 0
"""The id of no question."""


class Closing(NamedTuple):
    image_id: int
    number: int
    outcome: str


class Reopening(NamedTuple):
    image_id: int
    number: int
    barred: Sequence[int]
    shown: dict[str, Any]
    value: float = 0.0
    predicted: float | None = None


def open_new(questions: Sequence[Question]) -> None:
    """Insert questions; a new one is open and lent to nobody."""
    Question.objects.bulk_create(questions)


def lend(question_ids: Collection[int], assignment_id: int, *, free: Collection[int] = ()) -> None:
    """Lend open questions to an assignment, or keep them on loan to it.

    `free`: open questions that it held behind verification questions, which are free from now on.
    """
    _move(LEND, question_ids, free, assignment_id)


def _move(update: PreparedUpdate, question_ids: Collection[int], free: Collection[int], assignment_id: int) -> None:
    """Run the update. In one statement, so that the time tells nothing about the number of verification questions."""
    count = len(question_ids) + len(free)
    given = {"id": list(question_ids), "free": list(free), "holder": assignment_id}
    if count and update.run(len(question_ids), len(free), **given) != count:
        raise StateMovedError


def release_questions(question_ids: Collection[int], assignment_id: int) -> None:
    """Free these questions again, as far as this assignment holds them."""
    Question.objects.filter(id__in=question_ids, assignment=assignment_id).update(assignment=None)


def release_all(assignment_ids: Collection[int]) -> None:
    """Free every question that these assignments hold."""
    _in_order(Question.objects.filter(assignment__in=assignment_ids)).update(assignment=None)


def release_to_others(assignment_ids: Collection[int], worker_id: int, *, but: Collection[int] = ()) -> int:
    """Free the questions that a worker's assignments hold, and return their number.

    As after a skip, the same worker is not asked them again. `but`: ids of questions that stay on loan. Without any
    question as many statements are run: how long this takes does not tell which questions were real.
    """
    held = _open_of(assignment_ids).exclude(id__in=but).select_for_update().order_by("id")
    rows = [(number, sorted({*skipped, worker_id})) for number, skipped in held.values_list("id", "skipped")]
    written = [(number, skipped, len(skipped), None) for number, skipped in rows]
    update_many(Question, ["id"], ["skipped", "skipped_count", "assignment"], written or [(NO_QUESTION, [], 0, None)])
    return len(written)


def mark_answered(question_ids: Collection[int], assignment_id: int, *, free: Collection[int] = ()) -> None:
    """Mark open questions as answered; each must be lent to this assignment, or to nobody. `free`: as in `lend`."""
    _move(MARK_ANSWERED, question_ids, free, assignment_id)


def mark_lent_answered(assignment_ids: Collection[int]) -> None:
    """Mark all open questions that these assignments hold as answered."""
    _in_order(_open_of(assignment_ids)).update(state=QuestionState.ANSWERED.value, assignment=None)


def close(rows: Sequence[Closing], old: QuestionState) -> None:
    """Close questions that are in the state `old`."""
    written = [(*row, QuestionState.CLOSED.value, None) for row in rows]
    only = f"t.state = '{old.value}'"
    if update_many(Question, KEY, ["outcome", "state", "assignment"], written, only=only) != len(rows):
        raise StateMovedError


def open_again(rows: Sequence[Reopening]) -> None:
    """Open answered questions again, for workers who are not barred from them."""
    written = [
        (row.image_id, row.number, QuestionState.OPEN.value, row.barred, len(row.barred), *row[3:]) for row in rows
    ]
    only = f"t.state = '{QuestionState.ANSWERED.value}'"
    if update_many(Question, KEY, REOPENED_COLUMNS, written, only=only) != len(rows):
        raise StateMovedError


def already_stored(numbers: Mapping[int, Collection[int]]) -> set[tuple[int, int]]:
    """Return those of these numbers, by image, that are questions. One that the same entry opens and closes is none."""
    named = Q()
    for image, some in numbers.items():
        named |= Q(image_id=image, number__in=some) if some else Q()
    return set(Question.objects.filter(named).values_list("image_id", "number")) if named else set()


def open_closed(rows: Sequence[Reopening]) -> None:
    """Open closed questions again. Who has answered one, though the answer never counted, is not asked it again."""
    if not rows:
        return
    named = Q()
    for row in rows:
        named |= Q(image_id=row.image_id, number=row.number)
    late: dict[tuple[int, int], set[int]] = {(row.image_id, row.number): set() for row in rows}
    columns = ("image_id", "number", "skipped", "judgments__worker_id", "judgments__entry")
    for image, number, skipped, worker, entry in Question.objects.filter(named).values_list(*columns):
        late[image, number].update(skipped, [worker] if worker is not None and entry is None else [])
    written = []
    for row in rows:
        skipped = sorted(late[row.image_id, row.number])
        again = (QuestionState.OPEN.value, row.barred, len(row.barred), *row[3:])
        written.append((row.image_id, row.number, *again, "", skipped, len(skipped)))
    values = [*REOPENED_COLUMNS, "outcome", "skipped", "skipped_count"]
    only = f"t.state = '{QuestionState.CLOSED.value}'"
    if update_many(Question, KEY, values, written, only=only) != len(rows):
        raise StateMovedError


HOLDER: Any = Slot("holder")


def _free_or_ours(ids: Sequence[Any]) -> QuerySet[Question]:
    ours = Q(assignment=HOLDER) | Q(assignment=None)
    return Question.objects.filter(ours, state=QuestionState.OPEN.value, id__in=ids)


def _lend(count: int, free: int) -> tuple[QuerySet[Question], dict[str, Any]]:
    chosen = slots("id", count)
    if not free:
        return _free_or_ours(chosen), {"assignment": HOLDER}
    some = Case(When(id__in=chosen, then=HOLDER), default=None)
    return _free_or_ours([*chosen, *slots("free", free)]), {"assignment": some}


def _mark_answered(count: int, free: int) -> tuple[QuerySet[Question], dict[str, Any]]:
    chosen: Any = slots("id", count)
    if not free:
        return _free_or_ours(chosen), {"state": QuestionState.ANSWERED.value, "assignment": None}
    some = Case(When(id__in=chosen, then=Value(QuestionState.ANSWERED.value)), default=F("state"))
    return _free_or_ours([*chosen, *slots("free", free)]), {"state": some, "assignment": None}


LEND = PreparedUpdate(_lend)
MARK_ANSWERED = PreparedUpdate(_mark_answered)


def _open_of(assignment_ids: Collection[int]) -> QuerySet[Question]:
    return Question.objects.filter(assignment__in=assignment_ids, state=QuestionState.OPEN.value)


def _in_order(rows: QuerySet[Question]) -> QuerySet[Question]:
    """Return the rows, locked in the order of their ids by the statement that changes them.

    A late submission locks its questions in this order, too: otherwise two could wait for each other.
    """
    return Question.objects.filter(id__in=rows.select_for_update().order_by("id").values("id"))
