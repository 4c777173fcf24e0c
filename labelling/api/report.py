"""Record a worker's report that a phrase, a caption or a picture of a question is wrong."""

from uuid import UUID

from pipeline.asking.guard import Guard
from pipeline.asking.lease_assignment import leased_questions
from pipeline.errors import BadAnswerError
from pipeline.record.intervene import report_problem


def report_question(
    *, token: UUID, worker_id: int, guard: Guard, place: int, what: str, number: int | None, reason: str
) -> None:
    """Record the report. `place`: of the question in the assignment, from 0. `number`: of a mention or caption shown.

    Raises BadAnswerError if the question does not show this, NoSuchAssignmentError, NotYoursError,
    SignedOutError, and NoAccessError.
    """
    questions = leased_questions(token=token, worker_id=worker_id, guard=guard).questions
    if place >= len(questions):
        raise BadAnswerError(f"This assignment has {len(questions)} questions; there is no question {place + 1}.")
    question = questions[place]
    shown = {
        "mention": {mention for mention, *_ in question.shown["mentions"]},
        "caption": {caption for _, caption, *_ in question.shown["mentions"]},
        "image": {0},
    }[what]
    wanted = 0 if what == "image" else number
    if wanted is None or wanted not in shown:
        raise BadAnswerError(f"The question shows no {what} with the number {number}.")
    report_problem(image_id=question.image_id, what=what, number=wanted, worker_id=worker_id, reason=reason)
