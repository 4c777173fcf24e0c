"""Surveys on an image [beyond paper 3]: ask a question, let an answer to it count, and take a vote back.

Nothing follows from a survey's outcome, so a vote can be taken back even after it has decided. The image's own state
stays as it is.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

from pipeline.protocol.image.chain_steps import ImageUpdate, barred_from, close_question, open_question
from pipeline.protocol.state.progress import Cause, OpenQuestion, StateMachine, SurveyProgress, TallyVote
from pipeline.protocol.tasks.survey import AtomAnswer, caption_verdict, majority_verdict
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task

VERDICT: dict[Task, Callable[[Any], StrEnum]] = {
    Task.CAPTION_CHECK: caption_verdict,
    Task.ATOM_VISUAL: AtomAnswer,
}
"""Reads from an answer what it counts for in the tally."""


class NoSurveyError(Exception):
    """The entry asks a question that is no survey's."""


def ask(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Open a survey question: {"task", "item", "shown"}, and "truth" if the right answer is known by construction."""
    task = Task(data["task"])
    if task not in SURVEY_TASKS:
        raise NoSurveyError(f"{task.label} is not a survey: its questions follow from the state of a chain.")
    number = update.progress.next_question
    update.progress.surveys[number] = SurveyProgress(number, task, data["item"], data["shown"], data.get("truth"))
    open_question(update, task, [number])


def judge_survey(update: ImageUpdate, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Add a vote, and close the question once the majority of enough votes is clear."""
    survey = update.progress.surveys[question.number]
    survey.votes.append(TallyVote(update.entry, worker, answer))
    question.bar(worker)
    verdict = survey_outcome(survey, needed=update.settings.survey_votes)
    if verdict is not None:
        close_question(update, question.number, verdict)


def survey_outcome(survey: SurveyProgress, *, needed: int) -> StrEnum | None:
    """Return the majority of the votes; None while fewer than `needed` are there."""
    return majority_verdict([VERDICT[survey.task](vote.answer) for vote in survey.votes], needed=needed)


def take_survey_vote(update: ImageUpdate, entry: int) -> Callable[[], None] | None:
    """Take back a vote on a survey question, open or closed. Its voter stays barred from the question."""
    for survey in update.progress.surveys.values():
        for vote in survey.votes:
            if vote.entry == entry:
                survey.votes.remove(vote)
                survey.voided.append(vote.worker)
                return partial(_ask_again, update, survey)
    return None


def _ask_again(update: ImageUpdate, survey: SurveyProgress) -> None:
    """Open a closed question again: another worker's vote takes the place of the one that was taken back."""
    if survey.number in update.progress.open:
        return
    barred = barred_from(update, survey.task, [survey.number])
    update.progress.open[survey.number] = OpenQuestion(survey.number, survey.task, [survey.number], sorted(barred))
    update.log(
        StateMachine.QUESTION, survey.number, QuestionState.CLOSED.value, QuestionState.OPEN.value, Cause.VOTE_VOIDED
    )
