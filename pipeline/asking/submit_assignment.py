"""Submit an assignment: once this returns, the worker's answers are stored, whatever crashes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from math import isfinite
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from pipeline.asking.end_test import end_test
from pipeline.asking.lease_assignment import needs_answer
from pipeline.asking.read_assignment import Item, items_of, lock_assignment, lock_questions, places_of
from pipeline.asking.receipt import (
    Given,
    Receipt,
    Replies,
    Reply,
    Skipped,
    reward_share,
    store_receipt,
    stored_receipt,
)
from pipeline.errors import AssignmentEndedError, BadAnswerError, StateMovedError
from pipeline.models import Assignment, Judgment, KnownQuestion, Question, Skip
from pipeline.models.work import COMMENT_LENGTH
from pipeline.money.spend_cap import release_reward
from pipeline.record.question_state import lend, mark_answered, release
from pipeline.rules.known.known_answer import is_right
from pipeline.rules.tasks.answers import fault_in
from pipeline.rules.tasks.task import Task

Answers = Mapping[int, Reply] | Sequence[Reply | None]
Read = tuple[Assignment, dict[int, Question]]


def submit_assignment(
    *, assignment_id: int | UUID, worker_id: int, answers: Answers, now: datetime | None = None
) -> Receipt:
    """Store the answers and end the assignment. `answers`: one per question in the order shown, or by question id.

    Questions left out are open again. Submitting the same answers twice returns the same receipt. Late answers are
    stored where the question still needs them. Locks the assignment; questions move only from the state they were read
    in, and if one has moved, everything is read again, now under locks. Raises NoSuchAssignmentError, NotYoursError,
    AssignmentEndedError if it was returned, or BadAnswerError; nothing is stored then.
    """
    now = now or timezone.now()
    try:
        return _submit(_read, assignment_id, worker_id, answers, now)
    except StateMovedError:
        return _submit(_read_locked, assignment_id, worker_id, answers, now)


@transaction.atomic
def _submit(
    read: Callable[[int | UUID, int], Read],
    assignment_id: int | UUID,
    worker_id: int,
    answers: Answers,
    now: datetime,
) -> Receipt:
    assignment, questions = read(assignment_id, worker_id)
    replies = _by_place(assignment, answers)
    if assignment.state == Assignment.State.SUBMITTED:
        return stored_receipt(assignment)
    if assignment.state == Assignment.State.RETURNED:
        raise AssignmentEndedError
    items = items_of(assignment, questions)
    _check(Task(assignment.task), items, replies)
    given = {place: reply for place, reply in replies.items() if isinstance(reply, Given)}
    skipped = {place: reply for place, reply in replies.items() if isinstance(reply, Skipped)}
    taken = {place: reply for place, reply in given.items() if _is_wanted(items[place], assignment)}
    right = _store(assignment, [(items[place], reply) for place, reply in taken.items()], now)
    _skip(assignment, [(items[place], reply) for place, reply in skipped.items()], now)
    _free(assignment, questions, {items[place].id for place in taken if isinstance(items[place], Question)})
    receipt = Receipt(
        assignment,
        stored=tuple(item.id for item in map(items.__getitem__, taken) if isinstance(item, Question)),
        too_late=tuple(items[place].id for place in given if place not in taken),
        skipped=tuple(item.id for item in map(items.__getitem__, skipped) if isinstance(item, Question)),
        answered=len(taken),
        left_out=len(skipped),
        earned_cents=reward_share(assignment, len(given)),
    )
    if assignment.kind == Assignment.Kind.TEST:
        receipt = end_test(receipt, right, now)
    store_receipt(receipt, now)
    # An expired assignment has no reservation left.
    reserved = assignment.reward_cents if assignment.state == Assignment.State.ACTIVE else 0
    release_reward(assignment.project_id, reserved - receipt.earned_cents)
    return receipt


def _store(assignment: Assignment, answers: Sequence[tuple[Item, Given]], now: datetime) -> int:
    """Store the answers to questions of both kinds. Returns how many verification questions were answered right.

    If the assignment waits for its batch, its questions stay on loan to it, so that others are not asked them. Raises
    StateMovedError if a question was closed since it was read, or taken by others after the lease ran out.
    """
    judgments = [_judgment(assignment, item, given, now) for item, given in answers]
    if judgments:
        Judgment.objects.bulk_create(judgments)
    real = [item.id for item, _ in answers if isinstance(item, Question)]
    if real:
        waits = assignment.acceptance == Assignment.Acceptance.WAITING
        (lend if waits else mark_answered)(real, assignment.id)
    return sum(judgment.right or False for judgment in judgments)


def _judgment(assignment: Assignment, item: Item, given: Given, now: datetime) -> Judgment:
    known = isinstance(item, KnownQuestion)
    return Judgment(
        question_id=None if known else item.id,
        known_id=item.id if known else None,
        right=is_right(Task(assignment.task), item.truth, given.answer) if isinstance(item, KnownQuestion) else None,
        worker_id=assignment.worker_id,
        assignment_id=assignment.id,
        answer=given.answer,
        seconds=given.seconds,
        comment=given.comment,
        created_at=now,
    )


def _skip(assignment: Assignment, skipped: Iterable[tuple[Item, Skipped]], now: datetime) -> None:
    """Note what the worker skipped, so that they are not asked it again: verification questions never are."""
    for item, reply in skipped:
        if isinstance(item, KnownQuestion) or assignment.worker_id in item.skipped:
            continue
        who = {"worker_id": assignment.worker_id, "assignment": assignment}
        Skip(question_id=item.id, reason=reply.reason, comment=reply.comment, created_at=now, **who).save()
        everyone = [*item.skipped, assignment.worker_id]
        Question.objects.filter(id=item.id).update(skipped=everyone, skipped_count=len(everyone))


def _is_wanted(item: Item, assignment: Assignment) -> bool:
    """Return whether an answer is stored: always to verification questions, and to real ones that still need it."""
    if isinstance(item, KnownQuestion):
        return True
    return assignment.acceptance != Assignment.Acceptance.REFUSED and needs_answer(item, assignment)


def _free(assignment: Assignment, questions: Mapping[int, Question], taken: set[int]) -> None:
    """Free the questions that were left out."""
    left = [q.id for q in questions.values() if q.assignment_id == assignment.id and q.id not in taken]
    if left:
        release(left, assignment.id)


def _read(assignment_id: int | UUID, worker_id: int) -> Read:
    """Read the assignment, locked, and its questions, not locked: in one statement, as long as its lease runs."""
    name = "token" if isinstance(assignment_id, UUID) else "id"
    held = Question.objects.filter(**{f"assignment__{name}": assignment_id, "assignment__worker_id": worker_id})
    rows = held.select_related("assignment", "image").select_for_update(of=("assignment",))
    questions = {question.id: question for question in rows.order_by("id")}
    first = next(iter(questions.values()), None)
    if first is not None and first.assignment is not None and len(questions) == len(first.assignment.questions):
        return first.assignment, questions
    return _read_locked(assignment_id, worker_id)


def _read_locked(assignment_id: int | UUID, worker_id: int) -> Read:
    """Read the assignment in whatever state, and its questions, all locked."""
    assignment = lock_assignment(assignment_id, worker_id)
    return assignment, lock_questions(assignment)


def _by_place(assignment: Assignment, answers: Answers) -> Replies:
    if isinstance(answers, Mapping):
        places = places_of(assignment)
        foreign = sorted(set(answers) - set(places))
        if foreign:
            raise BadAnswerError(f"Questions {foreign} are not of this assignment.")
        return {places[number]: reply for number, reply in answers.items()}
    if len(answers) != assignment.size:
        raise BadAnswerError(f"This assignment has {assignment.size} questions, not {len(answers)}.")
    return {place: reply for place, reply in enumerate(answers) if reply is not None}


def _check(task: Task, items: Sequence[Item], replies: Replies) -> None:
    """Raises BadAnswerError if a reply cannot be stored or read by its task's rule."""
    for place, reply in replies.items():
        image = items[place].image
        if isinstance(reply, Given):
            if fault := fault_in(task, reply.answer, image.width, image.height):
                raise BadAnswerError(fault)
            _check_remarks(reply.comment, reply.seconds)
        else:
            _check_remarks(reply.comment, None)
            if reply.reason not in Skip.Reason.values:
                raise BadAnswerError(f"A reason to skip is one of {Skip.Reason.values}, not {reply.reason!r}.")


def _check_remarks(comment: str, seconds: float | None) -> None:
    """Raises BadAnswerError if a comment or a time fits neither the database nor JSON."""
    if len(comment) > COMMENT_LENGTH or "\0" in comment:
        raise BadAnswerError(f"A comment has at most {COMMENT_LENGTH} characters, and no NUL among them.")
    if seconds is not None and not (isfinite(seconds) and seconds >= 0):
        raise BadAnswerError(f"The seconds an answer took are a number from 0, not {seconds}.")
