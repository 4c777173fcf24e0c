"""Estimate how often each worker of a project is right, task by task, and keep it. Nobody is barred by it."""

from collections import Counter
from collections.abc import Hashable, Mapping
from datetime import datetime

from django.utils import timezone

from annotation.models import Box
from annotation.rules.states import BoxState
from pipeline.rules.tasks.task import Task
from reports.answered import NEWEST, answered, words
from workers.models import SkillEstimate
from workers.rules import skill as rule
from workers.rules.one_coin import estimate_one_coin
from workers.rules.skill import Judged, SkillRules, WorkerSkill

RULES = SkillRules(kinds=1)
"""Clear and contested items are told apart by many answers to one; the protocol asks for one to three, seldom five."""
Measured = tuple[Mapping[Hashable, WorkerSkill], Counter[int]]
"""The skill of each worker, and how many verification questions each answered."""


def estimate_skills(*, project_id: int, now: datetime | None = None, newest: int = NEWEST) -> int:
    """From the newest answers to each task. Returns how many estimates were written: one per worker and task.

    Who has not answered lately keeps the estimate they have.
    """
    now = now or timezone.now()
    rows = []
    for task in Task:
        measure = _drawing if task is Task.BOX_DRAWING else _choosing
        rows += [SkillEstimate(**values) for values in _rows(project_id, task, measure(project_id, task, newest), now)]
    SkillEstimate.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["project_id", "task", "worker"],
        update_fields=["accuracy", "low", "high", "answers", "known_answers", "computed_at"],
    )
    return len(rows)


def _rows(project_id: int, task: Task, measured: Measured, now: datetime) -> list[dict[str, object]]:
    skills, known = measured
    place = {"project_id": project_id, "task": task.value, "computed_at": now}
    return [
        {
            **place,
            "worker_id": worker,
            "accuracy": skill.accuracy,
            "low": skill.low,
            "high": skill.high,
            "answers": skill.checked,
            "known_answers": known[worker],  # type: ignore[index]
        }
        for worker, skill in skills.items()
    ]


def _choosing(project_id: int, task: Task, newest: int) -> Measured:
    """Of a task with a few answers to choose from: by what is known and by what others answered."""
    known: dict[Hashable, Hashable] = {}
    asked: Counter[int] = Counter()
    judged = []
    for one in answered(project_id, task, newest=newest):
        judged.append(Judged(one.worker, one.item, one.word))
        if one.known is not None:
            known[one.item] = one.known
            asked[one.worker] += 1
    return rule.estimate_skills(judged, words(task), known, RULES).workers, asked


def _drawing(project_id: int, task: Task, newest: int) -> Measured:
    """Of box drawing: by verification questions and by the boxes that were judged, as its score is."""
    asked: Counter[int] = Counter()
    judged = []
    for one in answered(project_id, task, newest=newest):
        if one.right is not None:
            judged.append(Judged(one.worker, one.item, one.right))
            asked[one.worker] += 1
    boxes = Box.objects.filter(image__project=project_id, drawn_by__isnull=False, judged_at__isnull=False)
    for number, worker, state in boxes.order_by("-judged_at").values_list("id", "drawn_by", "state")[:newest]:
        judged.append(Judged(worker, ("box", number), state == BoxState.ACCEPTED.value))
    return estimate_one_coin(judged, 2, dict.fromkeys((one.item for one in judged), True)).workers, asked
