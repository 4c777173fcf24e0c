"""Paper values [paper 3.3, table 3]: questions of an assignment, minimum performance and usual seconds of each task."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.ranges import SURVEY_BATCH, SURVEY_MINIMUM

BATCH = {
    Task.COREFERENCE_LINK: 10,
    Task.CHAIN_VERIFICATION: 5,
    Task.BOX_REQUIREMENT: 10,
    Task.BOX_DRAWING: 5,
    Task.BOX_QUALITY: 10,
    Task.BOX_COVERAGE: 10,
    **dict.fromkeys(SURVEY_TASKS, SURVEY_BATCH),
}
MINIMUM = {
    Task.COREFERENCE_LINK: 0.80,
    Task.CHAIN_VERIFICATION: 0.83,
    Task.BOX_REQUIREMENT: 0.83,
    Task.BOX_DRAWING: 0.70,
    Task.BOX_QUALITY: 0.78,
    Task.BOX_COVERAGE: 0.80,
    **dict.fromkeys(SURVEY_TASKS, SURVEY_MINIMUM),
}
"""Minimum performance [paper table 3]; of surveys a choice of ours."""
USUAL_SECONDS = {
    Task.COREFERENCE_LINK: 75,
    Task.CHAIN_VERIFICATION: 95,
    Task.BOX_REQUIREMENT: 81,
    Task.BOX_DRAWING: 134,
    Task.BOX_QUALITY: 110,
    Task.BOX_COVERAGE: 91,
    Task.CAPTION_CHECK: 100,
    Task.ATOM_VISUAL: 60,
}
"""Average seconds that an assignment takes [paper table 3]; of surveys a guess of ours."""
PAIR_SECONDS = 7.5
"""Average seconds of a link question about two mentions, by table 3."""
FURTHER_SECONDS = 1.1
"""Seconds that each further candidate of a sweep takes: a guess of ours."""


def work_of_link(further: float) -> float:
    """Return the work of link questions with this mean number of candidates beyond the first, in pairs."""
    return 1 + further * float(FURTHER)


def work_of(task: Task, shown: Iterable[Mapping[str, Any]]) -> Fraction:
    """Return the work of questions of the task: their number, where a sweep counts as the pairs that take as long.

    `shown`: as in `pipeline.protocol.state.rows`.
    """
    candidates = [len(candidates_in(task, question)) or 1 for question in shown]
    return len(candidates) + (sum(candidates) - len(candidates)) * FURTHER


FURTHER = Fraction(str(FURTHER_SECONDS)) / Fraction(str(PAIR_SECONDS))
"""The work of each further candidate of a sweep, in pairs."""
