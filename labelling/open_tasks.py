"""The tasks of a worker in a project: what is open, what an assignment pays, and how long it takes."""

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
"""The number of newest assignments, of any task, from which the usual time is computed."""
ENOUGH = 5
"""The fewest assignments of a task from which its usual time is computed."""


@dataclass(frozen=True, slots=True)
class TaskOffer:
    """One task as one worker finds it."""

    task: str
    label: str
    state: str
    """A value of `TaskState`."""
    open: int
    """Questions open to the worker, at most `MOST`; before the test, the questions of the test."""
    more: bool
    """Whether more than `MOST` are open."""
    reward_cents: int
    """For a full assignment; 0: unpaid. Tests are unpaid."""
    currency: str
    questions: int
    """In a full assignment."""
    seconds: int
    """How long an assignment takes, roughly."""
    held: bool
    """Whether the worker has begun an assignment and not submitted it."""
    message: str
    """Why nothing is open; empty if something is."""


def open_tasks(project: Project, worker_id: int) -> list[TaskOffer]:
    """Return the tasks to which the worker has access, in the order of `Task`. No count reads more than `MOST` rows."""
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
    status: TaskStatus,
) -> TaskOffer:
    state, found = status.state, status.questions
    if state is TaskState.OPEN:
        found = max(found, open_for(project.id, task, worker_id).order_by()[: MOST + 1].count())
        if not (found or held):
            state = TaskState.WAITING
    message = status.message or ("" if found or held else nothing_open(project, task))
    test, batch = state is TaskState.TEST, settings.batch[task.value]
    return TaskOffer(
        task=task.value,
        label=task.label,
        state=state.value,
        open=min(found, MOST),
        more=found > MOST,
        reward_cents=0 if test else settings.reward_cents[task.value],
        currency=settings.currency,
        questions=settings.test_questions if test else batch,
        seconds=round(seconds * settings.test_questions / batch) if test else seconds,
        held=held and state not in (TaskState.SUSPENDED, TaskState.BARRED),
        message=message,
    )


def nothing_open(project: Project, task: Task) -> str:
    """Return the reason why nothing of the task is open to a worker, in words for the worker."""
    if free_questions(project.id, task).filter(for_people=True).exists():
        return "Only other people can answer what is open: you have already worked on all of it."
    leased = Question.objects.filter(project=project, task=task.value, state=QuestionState.OPEN.value)
    if leased.filter(for_people=True).exists():
        return "Other people are working on all open questions right now. Look again in a while."
    finished = project.images.filter(state=ImageState.MERGED.value).count()
    return f"Nothing is open. {finished:,} {'image is' if finished == 1 else 'images are'} finished."


def held_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Return the assignments that the worker has begun and can still continue."""
    active = Assignment.objects.filter(project_id=project_id, worker=worker_id, state=Assignment.State.ACTIVE)
    return active.filter(expires_at__gt=timezone.now())


def usual_seconds(project_id: int, worker_id: int) -> dict[Task, int]:
    """Return the seconds an assignment takes: the worker's own median, else that of all people, else the paper's."""
    submitted = Assignment.objects.filter(project_id=project_id, state=Assignment.State.SUBMITTED).order_by("-id")
    people = submitted.filter(worker__kind=Worker.Kind.PERSON)
    return PAPER_SECONDS | _medians(people) | _medians(submitted.filter(worker=worker_id))


def _medians(assignments: QuerySet[Assignment]) -> dict[Task, int]:
    taken: dict[Task, list[float]] = defaultdict(list)
    for task, begun, ended in assignments.values_list("task", "created_at", "ended_at")[:RECENT]:
        if ended is not None:
            taken[Task(task)].append((ended - begun).total_seconds())
    return {task: round(median(times)) for task, times in taken.items() if len(times) >= ENOUGH}
