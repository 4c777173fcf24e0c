"""What a worker is offered: how much of each task is open to them, what it pays, and how long it takes."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Project
from annotation.rules.states import ImageState
from pipeline.models import Assignment, Question
from pipeline.open_questions import free_questions, open_for
from pipeline.rules.settings import PAPER_SECONDS, ProtocolSettings
from pipeline.rules.task import QuestionState, Task
from pipeline.settings_versions import current_settings
from workers.models import Access, Standing, Worker
from workers.rules.trust_states import State
from workers.rules.work import why_not
from workers.standing import from_row

MOST = 1000
"""Open questions are counted up to this many."""
RECENT = 500
"""So many assignments, of any task, are looked at to say how long one takes."""
ENOUGH = 5


@dataclass(frozen=True, slots=True)
class TaskOffer:
    """One task as it stands for one worker."""

    task: str
    label: str
    open: int
    """Questions open to the worker, at most `MOST`."""
    more: bool
    """There are more than `MOST`."""
    reward_cents: int
    """For a full assignment; 0: unpaid."""
    currency: str
    questions: int
    """In a full assignment."""
    seconds: int
    """About how long an assignment takes."""
    held: bool
    """An assignment is begun and not yet handed in."""
    message: str
    """Why nothing is open; empty where something is."""


def open_tasks(project: Project, worker_id: int) -> list[TaskOffer]:
    """The tasks that this worker may do in the project, in the order of the tasks. Every count is bounded."""
    granted = set(Access.objects.filter(project_id=project.id, worker=worker_id).values_list("task", flat=True))
    _, settings = current_settings(project.id)
    seconds = usual_seconds(project.id, worker_id)
    held = set(held_assignments(project.id, worker_id).values_list("task", flat=True))
    refused = refusals(project.id, worker_id)
    return [
        _offer(project, worker_id, task, settings, seconds[task], task.value in held, refused.get(task.value, ""))
        for task in Task
        if task.value in granted
    ]


def refusals(project_id: int, worker_id: int) -> dict[str, str]:
    """The tasks that the worker is not asked for because of where they stand, each with why in words for them."""
    now = timezone.now()
    rows = Standing.objects.filter(worker=worker_id, project_id=project_id).exclude(state=State.TRUSTED.value)
    standings = {row.task: from_row(row) for row in rows}
    return {task: why for task, standing in standings.items() if (why := why_not(standing, now))}


def _offer(
    project: Project, worker_id: int, task: Task, settings: ProtocolSettings, seconds: int, held: bool, refused: str
) -> TaskOffer:
    found = 0 if refused else open_for(project.id, task, worker_id).order_by()[: MOST + 1].count()
    return TaskOffer(
        task=task.value,
        label=task.label,
        open=min(found, MOST),
        more=found > MOST,
        reward_cents=settings.reward_cents[task.value],
        currency=settings.currency,
        questions=settings.batch[task.value],
        seconds=seconds,
        held=held,
        message=refused or ("" if found or held else nothing_open(project, task)),
    )


def nothing_open(project: Project, task: Task) -> str:
    """Why a worker for whom nothing of the task is open has to wait."""
    if free_questions(project.id, task).filter(for_people=True).exists():
        return "Only other people can go on here: you have had a part in everything that is open."
    leased = Question.objects.filter(project=project, task=task.value, state=QuestionState.OPEN.value)
    if leased.filter(for_people=True).exists():
        return "Others are at what is open right now. Look in again in a while."
    finished = project.images.filter(state=ImageState.MERGED.value).count()
    return f"Nothing is open. {finished:,} {'image is' if finished == 1 else 'images are'} finished."


def held_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """What the worker has begun and can go on with."""
    active = Assignment.objects.filter(project_id=project_id, worker=worker_id, state=Assignment.State.ACTIVE)
    return active.filter(expires_at__gt=timezone.now())


def usual_seconds(project_id: int, worker_id: int) -> dict[Task, int]:
    """How long an assignment of each task takes: the worker's own recent ones, else all people's, else the paper's."""
    submitted = Assignment.objects.filter(project_id=project_id, state=Assignment.State.SUBMITTED).order_by("-id")
    people = submitted.filter(worker__kind=Worker.Kind.PERSON)
    return PAPER_SECONDS | _medians(people) | _medians(submitted.filter(worker=worker_id))


def _medians(assignments: QuerySet[Assignment]) -> dict[Task, int]:
    taken: dict[Task, list[float]] = defaultdict(list)
    for task, begun, ended in assignments.values_list("task", "created_at", "ended_at")[:RECENT]:
        if ended is not None:
            taken[Task(task)].append((ended - begun).total_seconds())
    return {task: round(median(times)) for task, times in taken.items() if len(times) >= ENOUGH}
