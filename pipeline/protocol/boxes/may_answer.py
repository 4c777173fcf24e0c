"""Eligible workers [paper 3.1.1, 3.2]: a worker's earlier answers bar the worker from some questions.

Nobody answers the same question twice, nor a question of which a judgment of theirs was voided. This file holds chain
verification and surveys; `image.linking` bars from links, and the box policy from box tasks (`PaperLoop.barred`).

Every other worker with access to the task may answer, but those who skipped the question: see
`pipeline.project.open_questions`.
"""

from collections.abc import Iterable, Sequence

from pipeline.protocol.state.progress import ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task


def barred_from(progress: ImageProgress, task: Task, subject: Sequence[int]) -> list[int]:
    """Return the ids of the workers who may not answer a new question, in ascending order; of box tasks none."""
    barred: Iterable[int | None] = ()
    if task is Task.CHAIN_VERIFICATION:  # whom an expert spares, see `expert_acts.ask_others`
        barred = [answer.worker for answer in progress.chains[subject[0]].answers if answer.task is task]
    elif task in SURVEY_TASKS:
        survey = progress.surveys[subject[0]]
        barred = [*(vote.worker for vote in survey.votes), *survey.voided]
    return sorted({worker for worker in barred if worker is not None})


def bar(question: OpenQuestion, *workers: int) -> None:
    """Bar workers, such as one who has answered, from a question that stays open."""
    question.barred = sorted({*question.barred, *workers})
