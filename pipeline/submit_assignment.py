"""Store a worker's answers: after this returns they are stored, whatever crashes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from pipeline.check_answer import check_answer, check_remarks
from pipeline.errors import AssignmentEndedError, BadAnswerError, NotYoursError
from pipeline.models import Assignment, Judgment, Question
from pipeline.rules.task import QuestionState, Task


@dataclass(frozen=True, slots=True)
class Given:
    """One answer as the page sends it."""

    answer: Any
    seconds: float | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of each question of a submission, by its id."""

    stored: tuple[int, ...]
    too_late: tuple[int, ...]
    """The lease had run out and the question was answered by others, or is no longer asked."""
    repeated: bool = False
    """The same submission had arrived before; nothing was stored twice."""


@transaction.atomic
def submit_assignment(
    *, assignment_id: int, worker_id: int, answers: Mapping[int, Given], now: datetime | None = None
) -> Receipt:
    """Store the answers, by question id, and end the assignment. Questions left out are open again.

    Locks the assignment, then its questions. The same submission again answers the same. A late one is taken where the
    question still needs it. NotYoursError, AssignmentEndedError (returned), BadAnswerError: nothing is stored.
    """
    now = now or timezone.now()
    assignment = Assignment.objects.select_for_update().get(id=assignment_id)
    if assignment.worker_id != worker_id:
        raise NotYoursError
    foreign = sorted(set(answers) - set(assignment.questions))
    if foreign:
        raise BadAnswerError(f"Questions {foreign} are not of this assignment.")
    if assignment.state == Assignment.State.SUBMITTED:
        return _repeat(assignment)
    if assignment.state == Assignment.State.RETURNED:
        raise AssignmentEndedError
    questions = {
        q.id: q
        for q in Question.objects.filter(id__in=assignment.questions)
        .select_related("image")
        .only("id", "task", "state", "assignment", "barred", "image__width", "image__height")
        .select_for_update(of=("self",))
        .order_by("id")
    }
    for number, given in answers.items():
        image = questions[number].image
        check_answer(Task(assignment.task), given.answer, image.width, image.height)
        check_remarks(given.comment, given.seconds)
    taken = [number for number in answers if _needs_answer(questions[number], assignment)]
    _store(assignment, {number: answers[number] for number in taken}, now)
    left = [q.id for q in questions.values() if q.assignment_id == assignment.id and q.id not in taken]
    if left:
        Question.objects.filter(id__in=left).update(assignment=None)
    Assignment.objects.filter(id=assignment.id).update(state=Assignment.State.SUBMITTED, ended_at=now)
    return Receipt(tuple(taken), tuple(number for number in answers if number not in taken))


def _needs_answer(question: Question, assignment: Assignment) -> bool:
    """Still open, and leased to us or (our lease having run out) to nobody; and we may still answer it."""
    return (
        question.state == QuestionState.OPEN.value
        and question.assignment_id in (assignment.id, None)
        and assignment.worker_id not in question.barred
    )


def _store(assignment: Assignment, answers: Mapping[int, Given], now: datetime) -> None:
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
    Question.objects.filter(id__in=list(answers)).update(state=QuestionState.ANSWERED.value, assignment=None)


def _repeat(assignment: Assignment) -> Receipt:
    stored = tuple(assignment.judgments.order_by("id").values_list("question_id", flat=True))
    return Receipt(stored, tuple(q for q in assignment.questions if q not in stored), repeated=True)
