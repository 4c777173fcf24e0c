"""Read an assignment, locked, and its questions of both kinds in the order in which they are shown.

The positions of that order are called places, and count from 0.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet

from pipeline.errors import NoSuchAssignmentError, NotYoursError
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.stock.stock_cache import known_by_id

Item = Question | KnownQuestion


def lock_assignment(assignment_id: int | UUID, worker_id: int) -> Assignment:
    """Return the assignment by its id or its token, locked until the caller's transaction ends.

    Raises NoSuchAssignmentError, or NotYoursError if another worker holds it.
    """
    name = "token" if isinstance(assignment_id, UUID) else "id"
    assignment = Assignment.objects.select_for_update().filter(**{name: assignment_id}).first()
    if assignment is None:
        raise NoSuchAssignmentError
    if assignment.worker_id != worker_id:
        raise NotYoursError
    return assignment


def with_images(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Select only the columns that pages and checks need, with those of the image."""
    columns = ("state", "assignment", "barred", "skipped", "shown", "image__width", "image__height", "image__picture")
    return questions.select_related("image").only(*columns)


def lock_questions(assignment: Assignment) -> dict[int, Question]:
    """Return the assignment's real questions by id, with their images, locked until the transaction ends."""
    rows = with_images(Question.objects.filter(id__in=assignment.questions)).select_for_update(of=("self",))
    return {question.id: question for question in rows.order_by("id")}


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
