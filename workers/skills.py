"""The skill of a project's workers on a task, as it was estimated last."""

from collections.abc import Collection

from workers.models import SkillEstimate

Skill = tuple[float, float, float]
"""Accuracy, and the low and the high end of its 95 % interval; 0 to 1."""


def skill_of(project_id: int, task: str) -> dict[int, Skill]:
    """By worker id, in one statement. Who is missing has answered nothing that was looked at."""
    rows = SkillEstimate.objects.filter(project_id=project_id, task=task)
    return {worker: (at, low, high) for worker, at, low, high in rows.values_list("worker", "accuracy", "low", "high")}


def checked_answers(project_id: int, task: str, workers: Collection[int]) -> dict[int, tuple[float, int]]:
    """Of these workers, by id: the accuracy, and in how many checked answers. In one statement."""
    rows = SkillEstimate.objects.filter(project_id=project_id, task=task, worker__in=workers)
    return {
        worker: (accuracy, answers) for worker, accuracy, answers in rows.values_list("worker", "accuracy", "answers")
    }
