"""Surveys on an image [beyond paper 3]: ask a question, let an answer to it count, and take a vote back.

Nothing follows from a survey's outcome, so a vote can be taken back even after it has decided. The image's own state
stays as it is.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

from pipeline.protocol.image.chain_steps import Act, barred_from, close_question, open_question
from pipeline.protocol.state.progress import Cause, Machine, OpenQuestion, SurveyProgress, Vote
from pipeline.protocol.tasks.survey import AtomAnswer, caption_verdict, majority_verdict
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task

VERDICT: dict[Task, Callable[[Any], StrEnum]] = {
    Task.CAPTION_CHECK: caption_verdict,
    Task.ATOM_VISUAL: AtomAnswer,
}
"""Reads from an answer what it counts for in the tally."""


class NoSurveyError(Exception):
    """The entry asks a question that is no survey's."""


def ask(act: Act, data: dict[str, Any]) -> None:
    """Open a survey question: {"task", "item", "shown"}, and "truth" if the right answer is known by construction."""
    task = Task(data["task"])
    if task not in SURVEY_TASKS:
        raise NoSurveyError(f"{task.label} is not a survey: its questions follow from the state of a chain.")
    number = act.progress.asked
    act.progress.surveys[number] = SurveyProgress(number, task, data["item"], data["shown"], data.get("truth"))
    open_question(act, task, [number])


def judge_survey(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Add a vote, and close the question once the majority of enough votes is clear."""
    survey = act.progress.surveys[question.number]
    survey.votes.append(Vote(act.entry, worker, answer))
    question.bar(worker)
    verdict = outcome(survey, needed=act.settings.survey_votes)
    if verdict is not None:
        close_question(act, question.number, verdict)


def outcome(survey: SurveyProgress, *, needed: int) -> StrEnum | None:
    """Return the majority of the votes; None while fewer than `needed` are there."""
    return majority_verdict([VERDICT[survey.task](vote.answer) for vote in survey.votes], needed=needed)


def take_survey_vote(act: Act, entry: int) -> Callable[[], None] | None:
    """Take back a vote on a survey question, open or closed. Its voter stays barred from the question."""
    for survey in act.progress.surveys.values():
        for vote in survey.votes:
            if vote.entry == entry:
                survey.votes.remove(vote)
                survey.voided.append(vote.worker)
                return partial(_ask_again, act, survey)
    return None


def _ask_again(act: Act, survey: SurveyProgress) -> None:
    """Open a closed question again: another worker's vote takes the place of the one that was taken back."""
    if survey.number in act.progress.open:
        return
    barred = barred_from(act, survey.task, [survey.number])
    act.progress.open[survey.number] = OpenQuestion(survey.number, survey.task, [survey.number], sorted(barred))
    act.log(Machine.QUESTION, survey.number, QuestionState.CLOSED.value, QuestionState.OPEN.value, Cause.VOTE_VOIDED)
