"""Make a verification question of a finished one: what the crowd was asked and an expert, or the crowd, settled."""

from typing import Any

from pipeline.errors import PipelineError
from pipeline.models import KnownQuestion, Progress, Question
from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.known.known_from_finished import NotSureError, check_phrases, settled_truth
from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.stock.known_questions import Purpose, Source, add_known, key_of


class CannotPromoteError(PipelineError):
    """This question cannot become a verification question."""


def promote_question(
    *,
    question_id: int,
    truth: Any = None,
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    explanation: str = "",
    actor: str = "",
    source: KnownQuestion.Source = Source.EXPERT,
) -> KnownQuestion:
    """A closed question with what it showed. `truth`: as `known_answer` has it; None: what it was decided to be.

    Whoever answered it is never asked it again. CannotPromoteError: it is open, what it shows has changed since,
    nothing sure follows from what was decided, or it is in the stock already. BadAnswerError: the truth does not fit.
    """
    question = Question.objects.select_related("image").get(id=question_id)
    if question.state != QuestionState.CLOSED.value:
        raise CannotPromoteError("It is still asked: only a closed question can become a verification question.")
    found = _in_stock(question)
    if found is not None:
        was = f"retired on {found.retired_at:%Y-%m-%d}" if found.retired_at else found.get_purpose_display()
        raise CannotPromoteError(f"It is in the stock already ({was}).")
    known = Known(Task(question.task), question.shown, _truth(question, truth))
    place: dict[str, Any] = {"project_id": question.project_id, "image_id": question.image_id}
    add_known(known=[known], source=source, added_by=actor, purpose=purpose, explanation=explanation, **place)
    made = _in_stock(question)
    assert made is not None
    return made


def _truth(question: Question, truth: Any) -> Any:
    try:
        if truth is None:
            return truth_of(question)
        check_phrases(progress_of(question), question.shown)
    except NotSureError as error:
        raise CannotPromoteError(f"{error}") from error
    return truth


def _in_stock(question: Question) -> KnownQuestion | None:
    key = key_of(question.image_id, question.shown)
    return KnownQuestion.objects.filter(project=question.project_id, task=question.task, key=key).first()


def truth_of(question: Question, progress: ImageProgress | None = None) -> Any:
    """What a closed question was decided to be. NotSureError: nothing sure follows."""
    return settled_truth(progress or progress_of(question), Task(question.task), question.shown, question.outcome)


def progress_of(question: Question) -> ImageProgress:
    """The progress of the question's image."""
    return from_json(Progress.objects.get(image=question.image_id).state)
