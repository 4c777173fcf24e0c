"""Eligible workers [paper 3.1.1, 3.2]: a worker's earlier answers bar the worker from some questions.

- Nobody answers the same question twice, nor a question of which a judgment of theirs was voided.
- Nobody judges the quality of a box they drew.
- Nobody judges the coverage that their own drawing, or their own "none missing", has brought about; and the judges of a
  visit that led to no new box do not judge the same boxes again.
- Nobody whose vote is in a chain's requirement tally, by a requirement judgment or by "none missing" in box drawing,
  gives a second one, or draws before the chain's first accepted box.
- Nobody who said "none missing" is asked to draw the same chain again until a box was added.

So no worker alone makes a chain non-visual, or sends it to review.

A box policy says so of the box tasks: see `PaperLoop.barred`. This file has the other tasks.

Every other worker with access to the task may answer. Those who skipped are left out by
`pipeline.project.open_questions`.
"""

from collections.abc import Iterable, Sequence

from pipeline.protocol.state.progress import ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task


def barred_from(progress: ImageProgress, task: Task, subject: Sequence[int]) -> list[int]:
    """Return the ids of the workers who may not answer a new question, in ascending order; of box tasks see above."""
    barred: Iterable[int | None] = ()
    if task is Task.CHAIN_VERIFICATION:  # whom an expert spares, see `expert_acts.ask_others`
        barred = [one.worker for one in progress.chains[subject[0]].answers if one.task is task]
    elif task in SURVEY_TASKS:
        survey = progress.surveys[subject[0]]
        barred = [*(vote.worker for vote in survey.votes), *survey.voided]
    return sorted({worker for worker in barred if worker is not None})


def bar(question: OpenQuestion, *workers: int) -> None:
    """Bar workers, such as one who has answered, from a question that stays open."""
    question.barred = sorted({*question.barred, *workers})
