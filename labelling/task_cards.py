"""What the page of a project says of each task, beyond what the API tells."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.models import Project
from labelling.history import approved_boxes
from labelling.home import TaskOffer, held_assignments, open_tasks
from labelling.task_words import TASK_WORDS
from pipeline.rules.task import Task
from workers.models import Standing
from workers.rules.trust_states import State


@dataclass(frozen=True, slots=True)
class TaskCard:
    offer: TaskOffer
    words: str
    minutes_left: int
    """Of the assignment that can be gone on with; 0 where there is none."""
    score: str
    may_appeal: bool
    test: str = "none needed"


def task_cards(project: Project, worker_id: int) -> list[TaskCard]:
    """In the order of the tasks."""
    now = timezone.now()
    held = held_assignments(project.id, worker_id).values_list("task", "expires_at")
    left = {task: max(1, int((until - now).total_seconds() // 60)) for task, until in held}
    barred = Standing.objects.filter(worker=worker_id, project_id=project.id, state=State.BARRED.value, appealed=False)
    may_appeal = set(barred.values_list("task", flat=True))
    return [
        TaskCard(
            offer,
            TASK_WORDS[Task(offer.task)],
            left.get(offer.task, 0),
            _score(project, worker_id, offer.task),
            offer.task in may_appeal,
        )
        for offer in open_tasks(project, worker_id)
    ]


def _score(project: Project, worker_id: int, task: str) -> str:
    approved, judged = approved_boxes(project.id, worker_id) if task == Task.BOX_DRAWING else (0, 0)
    if not judged:
        return "not measured yet"
    return f"{round(100 * approved / judged)} % of your last {judged} boxes were approved"
