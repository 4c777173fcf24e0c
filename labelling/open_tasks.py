"""What a worker is offered: how much of each task is open to them, what it pays, and how long it takes."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Project
from annotation.rules.states import ImageState
from labelling.task_status import TaskState, TaskStatus, task_status
from pipeline.models import Assignment, Question
from pipeline.open_questions import free_questions, open_for
from pipeline.rules.settings.protocol import PAPER_SECONDS, ProtocolSettings
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import current_settings
from workers.models import Access, TrustStatus, Worker

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
    state: str
    """What the worker may do now (`labelling.task_status.Told`)."""
    open: int
    """Questions open to the worker, at most `MOST`; those of the test, where that comes first."""
    more: bool
    """PlatformState are more than `MOST`."""
    reward_cents: int
    """For a full assignment; 0: unpaid, as every test is."""
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
    rows = {row.task: row for row in TrustStatus.objects.filter(worker=worker_id, project_id=project.id)}
    now = timezone.now()
    return [
        _offer(
            project,
            worker_id,
            task,
            settings,
            seconds[task],
            task.value in held,
            task_status(project, task, rows.get(task.value), settings, now),
        )
        for task in Task
        if task.value in granted
    ]


def _offer(
    project: Project,
    worker_id: int,
    task: Task,
    settings: ProtocolSettings,
    seconds: int,
    held: bool,
    footing: TaskStatus,
) -> TaskOffer:
    test, told = footing.told is TaskState.TEST, footing.told
    found = footing.asked
    if told is TaskState.OPEN:
        found = max(found, open_for(project.id, task, worker_id).order_by()[: MOST + 1].count())
    message = footing.message or ("" if found or held else nothing_open(project, task))
    batch = settings.batch[task.value]
    return TaskOffer(
        task=task.value,
        label=task.label,
        state=(TaskState.WAITING if message and told is TaskState.OPEN else told).value,
        open=min(found, MOST),
        more=found > MOST,
        reward_cents=0 if test else settings.reward_cents[task.value],
        currency=settings.currency,
        questions=settings.test_questions if test else batch,
        seconds=round(seconds * settings.test_questions / batch) if test else seconds,
        held=held and told not in (TaskState.SUSPENDED, TaskState.BARRED),
        message=message,
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
