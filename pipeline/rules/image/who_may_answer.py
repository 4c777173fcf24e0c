"""Who may answer [paper 3.1.1, 3.2]: a worker's earlier answers bar the worker from some questions.

- Nobody answers the same question twice, nor a question of which a judgment of theirs was voided.
- Nobody judges the quality of a box they drew.
- Nobody judges the coverage that their own drawing, or their own "none missing", has brought about; and the judges of a
  visit that led to no new box do not judge the same boxes again.
- Nobody whose answer to box requirement is in a chain's tally gives a second one.

Every other worker with access to the task may answer. `pipeline.open_questions` leaves out those who skipped, too.
"""

from collections.abc import Iterable, Sequence

from pipeline.rules.image.progress import ChainProgress, ImageProgress, OpenQuestion
from pipeline.rules.tasks.box_requirement import Answer as Requirement
from pipeline.rules.tasks.task import Task


def barred_from(progress: ImageProgress, task: Task, subject: Sequence[int]) -> list[int]:
    """Return the ids of the workers who may not answer a new question, in ascending order."""
    barred: Iterable[int | None] = ()
    if task is Task.COREFERENCE_LINK:
        pair = subject[0], subject[1]
        barred = [*(vote.worker for vote in progress.votes.get(pair, ())), *progress.voided.get(pair, ())]
    elif task is Task.BOX_REQUIREMENT:
        tally = progress.chains[subject[0]].requirement
        barred = [vote.worker for vote in tally if vote.answer != Requirement.NONE_MISSING]
    elif task is Task.BOX_QUALITY:
        barred = [progress.boxes[subject[1]].worker]
    elif task is Task.BOX_COVERAGE:
        barred = progress.chains[subject[0]].coverage_barred
    return sorted({worker for worker in barred if worker is not None})


def bar(question: OpenQuestion, worker: int) -> None:
    """Bar a worker who has answered a question that stays open."""
    question.barred = sorted({*question.barred, worker})


def bar_from_visit(progress: ImageProgress, chain: ChainProgress, worker: int | None) -> None:
    """Bar the worker whose drawing, or whose "none missing", has just sent the chain to box coverage."""
    for question in progress.open.values():
        if worker is not None and question.task is Task.BOX_COVERAGE and question.subject[0] == chain.name:
            bar(question, worker)


def keep_judges(chain: ChainProgress) -> None:
    """Bar the judges of a coverage visit from the next ones, until there is a new box to judge."""
    chain.coverage_barred = sorted({*chain.coverage_barred, *(vote.worker for vote in chain.coverage)})


def forget_judges(chain: ChainProgress) -> None:
    """Let the judges of earlier coverage visits answer again: the chain has a new box."""
    chain.coverage_barred = []
