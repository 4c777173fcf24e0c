"""Read an assignment, locked, and its questions of both kinds in the order in which they are shown.

The positions of that order are called places, and count from 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from pipeline.asking.admission import Guard, refuse_stranger
from pipeline.errors import NoSuchAssignmentError, NotYoursError
from pipeline.gold_questions.known_questions import known_by_id
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.settings.settings import Settings
from runtime.database import AS_GIVEN, PreparedQuery, slot_for, slots

Item = Question | KnownQuestion
NO_QUESTION = 0
"""An id that no question has."""


@dataclass(frozen=True, slots=True)
class LeasedAssignment:
    """An assignment with its questions of both kinds, by place, each with its image."""

    assignment: Assignment
    questions: Sequence[Item]
    settings: Settings


def lock_assignment(assignment_id: int | UUID, worker_id: int, guard: Guard | None = None) -> Assignment:
    """Return the assignment by its id or its token, locked until the caller's transaction ends.

    `guard`: checked in the same statement; None: the caller was checked before. Raises NoSuchAssignmentError,
    NotYoursError if another worker holds it, and with a guard SignedOutError and NoAccessError.
    """
    name = "token" if isinstance(assignment_id, UUID) else "id"
    condition, values = guard or (None, ())
    found = LOCKED_ASSIGNMENT.run(name, condition, len(values), guard=list(values), **{name: assignment_id})
    if not found:
        raise NoSuchAssignmentError
    assignment = found[0]
    if assignment.worker_id != worker_id:
        raise NotYoursError
    if guard:
        refuse_stranger(assignment)
    return assignment


def _lock_assignment(name: str, condition: str | None, values: int) -> QuerySet[Assignment]:
    rows = Assignment.objects.select_for_update().filter(**{name: slot_for(Assignment, name)})
    if condition is None:
        return rows
    return rows.annotate(**Guard(condition, tuple(slots("guard", values, AS_GIVEN))).columns())


def with_images(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Select only the columns that pages and checks need, with those of the image."""
    shown = ("task", "shown", "image__width", "image__height", "image__picture")
    columns = ("state", "assignment", "barred", "skipped", *shown)
    return questions.select_related("image").only(*columns)


def read_questions(assignment: Assignment) -> dict[int, Question]:
    """Return the assignment's real questions by id, those behind its verification questions too, with their images."""
    return _by_id(QUESTIONS, assignment)


def lock_questions(assignment: Assignment) -> dict[int, Question]:
    """Return what `read_questions` does, locked until the transaction ends."""
    return _by_id(LOCKED_QUESTIONS, assignment)


def _by_id(query: PreparedQuery[Question], assignment: Assignment) -> dict[int, Question]:
    # Read in any case: a statement less would tell that all questions of the assignment are verification questions.
    ids = [*assignment.questions, *assignment.spare] or [NO_QUESTION]
    return {question.id: question for question in query.run(len(ids), id=ids)}


LOCKED_ASSIGNMENT = PreparedQuery(_lock_assignment)
QUESTIONS = PreparedQuery(lambda count: with_images(Question.objects.filter(id__in=slots("id", count))))
LOCKED_QUESTIONS = PreparedQuery(
    lambda count: (
        with_images(Question.objects.filter(id__in=slots("id", count))).select_for_update(of=("self",)).order_by("id")
    )
)


def items_of(assignment: Assignment, questions: Mapping[int, Question]) -> list[Item]:
    """Return the assignment's questions of both kinds by place. `questions`: its real ones, by id."""
    known = known_by_id(assignment.known.values())
    real = iter(assignment.questions)
    return [
        known[assignment.known[str(place)]] if str(place) in assignment.known else questions[next(real)]
        for place in range(assignment.size)
    ]


def places_of(assignment: Assignment) -> dict[int, int]:
    """Return the place of each real question, by its id."""
    real = (place for place in range(assignment.size) if str(place) not in assignment.known)
    return dict(zip(assignment.questions, real, strict=True))


def known_places(items: Sequence[Item]) -> dict[str, int]:
    """Return the ids of the verification questions among these, by place: the value of `Assignment.known`."""
    return {str(place): item.id for place, item in enumerate(items) if isinstance(item, KnownQuestion)}
