"""Estimates of how often each worker of a project is right, task by task. No worker is barred by an estimate."""

from collections import Counter
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import Max

from annotation.models import Box
from annotation.rules.states import BoxState
from pipeline.models import Assignment
from pipeline.project.queries import chosen_projects
from pipeline.protocol.tasks.task import Task
from projects.quality.answers_of_task import NEWEST, answer_words, answered
from projects.quality.check_links import OTHER_LINKS, check_links, pairs_of_questions
from runtime import clock
from workers.models import SkillEstimate
from workers.rules import skill as rule
from workers.rules.one_coin import estimate_one_coin
from workers.rules.skill import SkillRules, WorkerAnswer, WorkerSkill

RULES = SkillRules(kinds=1)
"""One kind of item. Telling clear from contested items takes many answers each; the protocol asks for one to five."""


class MeasuredSkills(NamedTuple):
    """The skill of each worker, and the number of verification questions that each answered."""

    skills: Mapping[Hashable, WorkerSkill]
    known: Counter[int]


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def projects_with_new_answers() -> list[int]:
    """Return the ids of the projects with answers that are newer than their last skill estimate."""
    last = dict(SkillEstimate.objects.values_list("project_id").annotate(Max("computed_at")).order_by())
    submitted = Assignment.objects.filter(state=Assignment.State.SUBMITTED)
    return [
        project
        for project in chosen_projects(None)
        if submitted.filter(project=project, ended_at__gte=last.get(project, BEGINNING)).exists()
    ]


def estimate_skills(*, project_id: int, now: datetime | None = None, newest: int = NEWEST) -> int:
    """Estimate skills from the newest answers to each task. Returns the number of estimates, one per worker and task.

    A worker without recent answers keeps the previous estimate.
    """
    now = now or clock.now()
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


def _rows(project_id: int, task: Task, measured: MeasuredSkills, now: datetime) -> list[dict[str, object]]:
    place = {"project_id": project_id, "task": task.value, "computed_at": now}
    return [
        {
            **place,
            "worker_id": worker,
            "accuracy": skill.accuracy,
            "low": skill.low,
            "high": skill.high,
            "answers": skill.checked,
            "known_answers": measured.known[worker],  # type: ignore[index]
        }
        for worker, skill in measured.skills.items()
    ]


def _choosing(project_id: int, task: Task, newest: int) -> MeasuredSkills:
    """Measure a task with a few possible answers, by known answers and by the answers of other workers."""
    known: dict[Hashable, Hashable] = {}
    asked: Counter[int] = Counter()
    judged = []
    pairs = pairs_of_questions(project_id, newest) if task is Task.COREFERENCE_LINK else {}
    for answer in answered(project_id, task, newest=newest):
        judged.append(WorkerAnswer(answer.worker, pairs.get(answer.item, answer.item), answer.word))
        if answer.known is not None:
            known[answer.item] = answer.known
            asked[answer.worker] += 1
    workers = rule.estimate_skills([*judged, *check_links(project_id, pairs)], answer_words(task), known, RULES).workers
    return MeasuredSkills({worker: skill for worker, skill in workers.items() if worker != OTHER_LINKS}, asked)


def _drawing(project_id: int, task: Task, newest: int) -> MeasuredSkills:
    """Measure box drawing by verification questions and by judged boxes, like its trust score."""
    asked: Counter[int] = Counter()
    judged = []
    for answer in answered(project_id, task, newest=newest):
        if answer.right is not None:
            judged.append(WorkerAnswer(answer.worker, answer.item, answer.right))
            asked[answer.worker] += 1
    boxes = Box.objects.filter(image__project=project_id, drawn_by__isnull=False, judged_at__isnull=False)
    for number, worker, state in boxes.order_by("-judged_at").values_list("id", "drawn_by", "state")[:newest]:
        judged.append(WorkerAnswer(worker, ("box", number), state == BoxState.ACCEPTED.value))
    return MeasuredSkills(
        estimate_one_coin(judged, 2, dict.fromkeys((answer.item for answer in judged), True)).workers, asked
    )
