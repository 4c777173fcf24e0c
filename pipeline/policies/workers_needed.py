"""Workers needed [paper 3.2]: how many different workers the questions of one chain take at most, and what starves.

The share that starves was measured with simulated workers who err as those of the paper do, and the paper's settings.
"""

from collections.abc import Mapping

from pipeline.policies.compose import compose
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.settings import Settings


def workers_needed(settings: Settings) -> dict[Task, int]:
    """Return, for each task, how many different workers always suffice to answer the questions of a chain or a survey.

    With fewer a question can starve. Assumes the worst: the longest tallies, and no accepted box but the last.
    """
    rules = compose(settings)
    return {
        Task.COREFERENCE_LINK: rules.links.most_answers,
        Task.CHAIN_VERIFICATION: 1,
        **rules.boxes.workers_needed,
        **dict.fromkeys(SURVEY_TASKS, settings.survey_votes),
    }


STARVING = {3: 0.183, 4: 0.019, 5: 0.002}
"""The share of chains that starve, by the number of workers."""
ENOUGH_WORKERS = 6
SHARED_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
"""Tasks in which a chain needs several workers."""


def few_workers(workers: Mapping[str, int]) -> str:
    """Return what a requester should know about a small crew, or "" if it is large enough or nobody has access at all.

    `workers`: the number of workers with access, by task.
    """
    counts = {task: workers.get(task.value, 0) for task in SHARED_TASKS}
    fewest = min(SHARED_TASKS, key=lambda task: counts[task])
    number = counts[fewest]
    if number >= ENOUGH_WORKERS or not any(counts.values()):
        return ""
    where = "" if len(set(counts.values())) == 1 else f" to {fewest.label}"
    who = f"{number or 'No'} worker{' has' if number == 1 else 's have'} access{where}."
    return f"{who} {_share(number)} of chains will wait for a further worker; {ENOUGH_WORKERS} workers are enough."


def _share(workers: int) -> str:
    measured = min(STARVING)
    percent = 100 * STARVING[max(workers, measured)]
    return f"{'More than' if workers < measured else 'About'} {percent:.{0 if percent > 1 else 1}f} %"
