"""Crew size [beyond paper 3.2]: the share of chains that starve where few workers have access.

Measured with simulated workers who err as those of the paper do, and the paper's settings; docs/why/results.md has the
figures.
"""

from collections.abc import Mapping

from pipeline.rules.tasks.task import Task

STARVING = {3: 0.183, 4: 0.019, 5: 0.002}
"""The share of chains that starve, by the number of workers."""
ENOUGH = 6
SEVERAL = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
"""Tasks in which a chain needs several workers."""


def few_workers(workers: Mapping[str, int]) -> str:
    """Return what a requester should know about a small crew, or "" if it is large enough or nobody has access at all.

    `workers`: the number of workers with access, by task.
    """
    counts = {task: workers.get(task.value, 0) for task in SEVERAL}
    fewest = min(SEVERAL, key=lambda task: counts[task])
    number = counts[fewest]
    if number >= ENOUGH or not any(counts.values()):
        return ""
    where = "" if len(set(counts.values())) == 1 else f" to {fewest.label}"
    who = f"{number or 'No'} worker{' has' if number == 1 else 's have'} access{where}."
    return f"{who} {_share(number)} of chains will wait for a further worker; {ENOUGH} workers are enough."


def _share(workers: int) -> str:
    measured = min(STARVING)
    percent = 100 * STARVING[max(workers, measured)]
    return f"{'More than' if workers < measured else 'About'} {percent:.{0 if percent > 1 else 1}f} %"
