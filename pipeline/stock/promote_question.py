"""Turn a closed question into a verification question. Its right answer is what the crowd or an expert decided."""

from typing import Any

from pipeline.errors import PipelineError
from pipeline.known.known_from_finished import NotSureError, check_phrases, settled_truth
from pipeline.known.known_from_gold import GoldQuestion
from pipeline.models import KnownQuestion, Progress, Question
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import QuestionState, Task
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
    """Add a closed question to the stock, with what it showed, and return the new verification question.

    `truth`: the right answer as in `known_answer`; None: what the question was decided to be. Workers who answered the
    question are never asked it again. A suggestion (source "agreed") that was retired is asked again. Raises
    CannotPromoteError if the question is open, shows phrases that have changed since, has no certain answer or is in
    the stock already, and BadAnswerError if the truth does not fit.
    """
    question = Question.objects.select_related("image").get(id=question_id)
    if question.state != QuestionState.CLOSED.value:
        raise CannotPromoteError(
            "This question is still asked: only a closed question can become a verification question."
        )
    found = _is_known(question)
    if found is not None and found.retired_at and found.source == source == Source.AGREED:
        found.retired_at, found.added_by = None, actor
        found.save(update_fields=["retired_at", "added_by"])
        return found
    if found is not None:
        was = f"retired on {found.retired_at:%Y-%m-%d}" if found.retired_at else found.get_purpose_display()
        raise CannotPromoteError(f"This question is in the stock already ({was}).")
    known = GoldQuestion(Task(question.task), question.shown, _truth(question, truth))
    of: dict[str, Any] = {"project_id": question.project_id, "image_id": question.image_id}
    add_known(known=[known], source=source, added_by=actor, purpose=purpose, explanation=explanation, **of)
    made = _is_known(question)
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


def _is_known(question: Question) -> KnownQuestion | None:
    key = key_of(question.image_id, question.shown)
    return KnownQuestion.objects.filter(project=question.project_id, task=question.task, key=key).first()


def truth_of(question: Question, progress: ImageProgress | None = None) -> Any:
    """Return what a closed question was decided to be. Raises NotSureError if that is not certain."""
    return settled_truth(progress or progress_of(question), Task(question.task), question.shown, question.outcome)


def progress_of(question: Question) -> ImageProgress:
    """Read the progress of the question's image."""
    return from_json(Progress.objects.get(image=question.image_id).state)
