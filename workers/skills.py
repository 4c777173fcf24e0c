"""The workers' skill on a task, as last estimated. Accuracies are shares of right answers, 0 to 1."""

from collections.abc import Collection
from typing import NamedTuple

from workers.models import SkillEstimate


class CheckedSkills(NamedTuple):
    accuracy: float
    answers: int
    """Checked answers that the accuracy is estimated from."""


def checked_answers(project_id: int, task: str, workers: Collection[int]) -> dict[int, CheckedSkills]:
    """Return the accuracy of these workers by worker id, in one statement."""
    rows = SkillEstimate.objects.filter(project_id=project_id, task=task, worker__in=workers)
    found = rows.values_list("worker", "accuracy", "answers")
    return {worker: CheckedSkills(accuracy, answers) for worker, accuracy, answers in found}
