"""Store a worker's answers: after this returns they are stored, whatever crashes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from pipeline.check_answer import check_answer, check_remarks
from pipeline.errors import AssignmentEndedError, BadAnswerError, StateMovedError
from pipeline.lease_assignment import needs_answer, with_images
from pipeline.lock_assignment import lock_assignment
from pipeline.models import Assignment, Judgment, Question, Skip
from pipeline.rules.task import QuestionState, Task


class Given(NamedTuple):
    """One answer as the page sends it."""

    answer: Any
    seconds: float | None = None
    comment: str = ""


class Skipped(NamedTuple):
    """The worker would not answer, and why (a value of Skip.Reason). They aren't asked it again."""

    reason: str
    comment: str = ""


Reply = Given | Skipped


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of each question of a submission, by its id."""

    assignment: Assignment
    stored: tuple[int, ...]
    too_late: tuple[int, ...]
    """The lease had run out and the question was answered by others, or is no longer asked."""
    skipped: tuple[int, ...] = ()
    earned_cents: int = 0
    repeated: bool = False
    """The same submission had arrived before; nothing was stored twice."""


def submit_assignment(
    *,
    assignment_id: int | UUID,
    worker_id: int,
    answers: Mapping[int, Reply] | Sequence[Reply | None],
    now: datetime | None = None,
) -> Receipt:
    """Store the answers and end the assignment. `answers`: by question id, or one per question in the order shown.

    Questions left out are open again. The same submission again answers the same. A late one is taken where the
    question still needs it. Locks the assignment; questions move only from the state they were read in, and if one
    of them has moved all is read again, now under locks. NoSuchAssignmentError, NotYoursError, AssignmentEndedError
    (returned), BadAnswerError: nothing is stored.
    """
    now = now or timezone.now()
    try:
        return _submit(_glance, assignment_id, worker_id, answers, now)
    except StateMovedError:
        return _submit(_hold, assignment_id, worker_id, answers, now)


Read = tuple[Assignment, dict[int, Question]]


@transaction.atomic
def _submit(
    read: Callable[[int | UUID, int], Read],
    assignment_id: int | UUID,
    worker_id: int,
    answers: Mapping[int, Reply] | Sequence[Reply | None],
    now: datetime,
) -> Receipt:
    assignment, questions = read(assignment_id, worker_id)
    replies = _by_question(assignment, answers)
    if assignment.state == Assignment.State.SUBMITTED:
        return _repeat(assignment)
    if assignment.state == Assignment.State.RETURNED:
        raise AssignmentEndedError
    given = {number: reply for number, reply in replies.items() if isinstance(reply, Given)}
    _check(assignment, questions, replies)
    taken = {number: reply for number, reply in given.items() if needs_answer(questions[number], assignment)}
    _store(assignment, taken, now)
    skipped = {number: reply for number, reply in replies.items() if isinstance(reply, Skipped)}
    _skip(assignment, questions, skipped, now)
    left = [q.id for q in questions.values() if q.assignment_id == assignment.id and q.id not in taken]
    if left:
        Question.objects.filter(id__in=left, assignment=assignment).update(assignment=None)
    late = tuple(number for number in given if number not in taken)
    receipt = Receipt(assignment, tuple(taken), late, tuple(skipped), _earned(assignment, len(given)))
    _end(assignment, receipt, now)
    return receipt


def _glance(assignment_id: int | UUID, worker_id: int) -> Read:
    """The assignment, locked, and its questions as they are, in one statement while its lease runs."""
    name = "token" if isinstance(assignment_id, UUID) else "id"
    held = Question.objects.filter(**{f"assignment__{name}": assignment_id, "assignment__worker_id": worker_id})
    rows = held.select_related("assignment", "image").select_for_update(of=("assignment",))
    questions = {question.id: question for question in rows.order_by("id")}
    first = next(iter(questions.values()), None)
    if first is not None and first.assignment is not None and len(questions) == len(first.assignment.questions):
        return first.assignment, questions
    return _hold(assignment_id, worker_id)


def _hold(assignment_id: int | UUID, worker_id: int) -> Read:
    """The same whatever has become of it, everything locked."""
    assignment = lock_assignment(assignment_id, worker_id)
    rows = with_images(Question.objects.filter(id__in=assignment.questions)).select_for_update(of=("self",))
    return assignment, {question.id: question for question in rows.order_by("id")}


def _by_question(assignment: Assignment, answers: Mapping[int, Reply] | Sequence[Reply | None]) -> dict[int, Reply]:
    if isinstance(answers, Mapping):
        foreign = sorted(set(answers) - set(assignment.questions))
        if foreign:
            raise BadAnswerError(f"Questions {foreign} are not of this assignment.")
        return dict(answers)
    if len(answers) != len(assignment.questions):
        raise BadAnswerError(f"This assignment has {len(assignment.questions)} questions, not {len(answers)}.")
    pairs = zip(assignment.questions, answers, strict=True)
    return {number: reply for number, reply in pairs if reply is not None}


def _check(assignment: Assignment, questions: Mapping[int, Question], replies: Mapping[int, Reply]) -> None:
    for number, reply in replies.items():
        image = questions[number].image
        if isinstance(reply, Given):
            check_answer(Task(assignment.task), reply.answer, image.width, image.height)
            check_remarks(reply.comment, reply.seconds)
        else:
            check_remarks(reply.comment, None)
            if reply.reason not in Skip.Reason.values:
                raise BadAnswerError(f"A reason to skip is one of {Skip.Reason.values}, not {reply.reason!r}.")


def _store(assignment: Assignment, answers: Mapping[int, Given], now: datetime) -> None:
    if not answers:
        return
    Judgment.objects.bulk_create(
        Judgment(
            question_id=number,
            worker_id=assignment.worker_id,
            assignment_id=assignment.id,
            answer=given.answer,
            seconds=given.seconds,
            comment=given.comment,
            created_at=now,
        )
        for number, given in answers.items()
    )
    # Others may have closed one, or taken it when the lease ran out, since the questions were read.
    still = Question.objects.filter(id__in=list(answers), state=QuestionState.OPEN.value)
    still = still.filter(Q(assignment=assignment) | Q(assignment=None))
    if still.update(state=QuestionState.ANSWERED.value, assignment=None) != len(answers):
        raise StateMovedError


def _skip(
    assignment: Assignment, questions: Mapping[int, Question], skipped: Mapping[int, Skipped], now: datetime
) -> None:
    for number, reply in skipped.items():
        question = questions[number]
        if assignment.worker_id in question.skipped:
            continue
        who = {"worker_id": assignment.worker_id, "assignment": assignment}
        Skip(question_id=number, reason=reply.reason, comment=reply.comment, created_at=now, **who).save()
        everyone = [*question.skipped, assignment.worker_id]
        Question.objects.filter(id=number).update(skipped=everyone, skipped_count=len(everyone))


def _earned(assignment: Assignment, answered: int) -> int:
    """The share of the reward for what was answered, rounded half up; what came too late was work as well."""
    total = len(assignment.questions)
    return (2 * assignment.reward_cents * answered + total) // (2 * total)


def _end(assignment: Assignment, receipt: Receipt, now: datetime) -> None:
    kept = {
        "stored": len(receipt.stored),
        "too_late": [assignment.questions.index(number) for number in receipt.too_late],
        "skipped": len(receipt.skipped),
        "earned_cents": receipt.earned_cents,
    }
    rows = Assignment.objects.filter(id=assignment.id)
    rows.update(state=Assignment.State.SUBMITTED, ended_at=now, draft=None, receipt=kept)


def _repeat(assignment: Assignment) -> Receipt:
    stored = tuple(assignment.judgments.order_by("id").values_list("question_id", flat=True))
    skipped = tuple(assignment.skips.order_by("id").values_list("question_id", flat=True))
    kept = assignment.receipt or {}
    late = tuple(assignment.questions[place] for place in kept.get("too_late", ()))
    return Receipt(assignment, stored, late, skipped, kept.get("earned_cents", 0), repeated=True)
