"""Store a worker's answers: after this returns they are stored, whatever crashes."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from pipeline.asking.check_answer import check_answer, check_remarks
from pipeline.asking.draw_items import with_images
from pipeline.asking.end_test import end_test
from pipeline.asking.layout import Item, items_of, places_of
from pipeline.asking.lease_assignment import needs_answer
from pipeline.asking.lock_assignment import lock_assignment
from pipeline.asking.receipt import Given, Receipt, Replies, Reply, Skipped, earned, keep, repeated
from pipeline.asking.store_answers import skip_questions, store_answers
from pipeline.errors import AssignmentEndedError, BadAnswerError, StateMovedError
from pipeline.models import Assignment, KnownQuestion, Question, Skip
from pipeline.money.reserve_reward import release_reward
from pipeline.rules.tasks.task import Task

Answers = Mapping[int, Reply] | Sequence[Reply | None]
Read = tuple[Assignment, dict[int, Question]]


def submit_assignment(
    *, assignment_id: int | UUID, worker_id: int, answers: Answers, now: datetime | None = None
) -> Receipt:
    """Store the answers and end the assignment. `answers`: one per question in the order shown, or by question id.

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
        return repeated(assignment)
    if assignment.state == Assignment.State.RETURNED:
        raise AssignmentEndedError
    items = items_of(assignment, questions)
    _check(Task(assignment.task), items, replies)
    given = {place: reply for place, reply in replies.items() if isinstance(reply, Given)}
    skipped = {place: reply for place, reply in replies.items() if isinstance(reply, Skipped)}
    taken = {place: reply for place, reply in given.items() if _is_wanted(items[place], assignment)}
    right = store_answers(assignment, [(items[place], reply) for place, reply in taken.items()], now)
    skip_questions(assignment, [(items[place], reply) for place, reply in skipped.items()], now)
    _free(assignment, questions, {items[place].id for place in taken if isinstance(items[place], Question)})
    receipt = Receipt(
        assignment,
        stored=tuple(item.id for item in map(items.__getitem__, taken) if isinstance(item, Question)),
        too_late=tuple(items[place].id for place in given if place not in taken),
        skipped=tuple(item.id for item in map(items.__getitem__, skipped) if isinstance(item, Question)),
        answered=len(taken),
        left_out=len(skipped),
        earned_cents=earned(assignment, len(given)),
    )
    if assignment.kind == Assignment.Kind.TEST:
        receipt = end_test(receipt, right, now)
    keep(receipt, now)
    # What ran out of time had its reservation given back.
    reserved = assignment.reward_cents if assignment.state == Assignment.State.ACTIVE else 0
    release_reward(assignment.project_id, reserved - receipt.earned_cents)
    return receipt


def _is_wanted(item: Item, assignment: Assignment) -> bool:
    """What is known is graded in any case; a real question may not need the answer any more."""
    if isinstance(item, KnownQuestion):
        return True
    return assignment.verdict != Assignment.Verdict.REFUSED and needs_answer(item, assignment)


def _free(assignment: Assignment, questions: Mapping[int, Question], taken: set[int]) -> None:
    """Open those again that were left out."""
    left = [q.id for q in questions.values() if q.assignment_id == assignment.id and q.id not in taken]
    if left:
        Question.objects.filter(id__in=left, assignment=assignment).update(assignment=None)


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
    for place, reply in replies.items():
        image = items[place].image
        if isinstance(reply, Given):
            check_answer(task, reply.answer, image.width, image.height)
            check_remarks(reply.comment, reply.seconds)
        else:
            check_remarks(reply.comment, None)
            if reply.reason not in Skip.Reason.values:
                raise BadAnswerError(f"A reason to skip is one of {Skip.Reason.values}, not {reply.reason!r}.")
