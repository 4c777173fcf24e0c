"""The places of an assignment: its questions and its verification questions in the order in which they are shown."""

from collections.abc import Mapping, Sequence

from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.stock.stock_cache import known_by_id

Item = Question | KnownQuestion


def items_of(assignment: Assignment, questions: Mapping[int, Question]) -> list[Item]:
    """By place. `questions`: the assignment's own, by id."""
    known = known_by_id(assignment.known.values())
    real = iter(assignment.questions)
    return [
        known[assignment.known[str(place)]] if str(place) in assignment.known else questions[next(real)]
        for place in range(assignment.size)
    ]


def places_of(assignment: Assignment) -> dict[int, int]:
    """The place of each question, by its id."""
    free = (place for place in range(assignment.size) if str(place) not in assignment.known)
    return dict(zip(assignment.questions, free, strict=True))


def known_places(items: Sequence[Item]) -> dict[str, int]:
    """What an assignment keeps of these items' verification questions: place to id."""
    return {str(place): item.id for place, item in enumerate(items) if isinstance(item, KnownQuestion)}
