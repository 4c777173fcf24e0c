"""The tasks of a worker in a project: what is open, what an assignment pays, and how long it takes."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from accounts.may import tasks_open_to
from annotation.models import Project
from annotation.project_terms import NO_NEW_QUESTIONS
from annotation.rules.states import ImageState, ProjectState
from pipeline.gold_questions.known_questions import unseen_count
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.money.ledger import rough_cents
from pipeline.project.open_questions import free_questions, is_any, open_for
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings, trust_rules
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import USUAL_SECONDS
from pipeline.trust.review_trust import evidence_of
from runtime import clock
from workers import models
from workers.change_trust import from_row
from workers.models import TrustStatus, Worker
from workers.rules.texts import Coded, WorkerText
from workers.rules.trust import TrustModel
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import work_for
from workers.task_words import task_name, text_in_language

Purpose = KnownQuestion.Purpose


class TaskState(StrEnum):
    TEST = "test"
    """The worker can take the qualification test."""
    OPEN = "open"
    """The worker is on probation or trusted. No worker is told which of the two, and both must look alike."""
    WAITING = "waiting"
    SUSPENDED = "suspended"
    BARRED = "barred"


@dataclass(frozen=True, slots=True)
class TaskStatus:
    state: TaskState = TaskState.OPEN
    why: Coded | None = None
    """The reason why there is nothing to do, if it lies with the worker."""
    questions: int = 0
    """Questions of the test or of probation: the worker can be asked these even if no other question is open."""


def task_status(task: Task, row: models.TrustStatus | None, settings: Settings, now: datetime) -> TaskStatus:
    """Return what the worker may do. `row`: the worker's trust status; None: access alone made the worker trusted."""
    if row is None:
        return TaskStatus()
    trust = _current_trust(from_row(row), settings, now)
    match trust.state:
        case TrustState.INVITED | TrustState.TESTING:
            return _before_test(task, row, trust, settings, now)
        case TrustState.SUSPENDED | TrustState.BARRED:
            work = work_for(trust, trust_rules(settings, task), now, unseen=0)
            return TaskStatus(TaskState(trust.state.value), work.reason)
        case TrustState.PROBATION if settings.trust[task.value] == TrustModel.TRUSTED:
            return _on_probation(task, row, trust, settings, now)
        case _:
            return TaskStatus()


def _current_trust(trust: Trust, settings: TrustSettings, now: datetime) -> Trust:
    """Return the trust as it will be once the worker asks for work: a suspension may be over, the test abolished."""
    if trust.state is TrustState.SUSPENDED and trust.suspended_until and trust.suspended_until <= now:
        trust = replace(trust, state=trust.resumes or TrustState.TRUSTED)
    if trust.state is TrustState.INVITED and not settings.test_questions:
        trust = replace(trust, state=TrustState.PROBATION)
    return trust


def _before_test(task: Task, row: models.TrustStatus, trust: Trust, settings: Settings, now: datetime) -> TaskStatus:
    work = work_for(trust, trust_rules(settings, task), now, unseen=0)
    if work.reason:
        return TaskStatus(TaskState.WAITING, work.reason)
    if unseen_count(row, Purpose.TEST) < settings.test_questions:
        return TaskStatus(TaskState.WAITING, WorkerText.NOTHING_NEW.coded())
    return TaskStatus(TaskState.TEST, questions=settings.test_questions)


def _on_probation(task: Task, row: models.TrustStatus, trust: Trust, settings: Settings, now: datetime) -> TaskStatus:
    unseen = unseen_count(row)
    answered = evidence_of(row.worker_id, row.project_id, task, trust).probation.total
    work = work_for(trust, trust_rules(settings, task), now, unseen=unseen, answered=answered)
    if work.reason:
        return TaskStatus(TaskState.WAITING, work.reason)
    return TaskStatus(questions=min(unseen, settings.batch[task.value]))


STEPS = (1, 20, 50, 100, 200, 500, 1000)
"""The only numbers of open questions that a worker is told, each as "at least" or "more than".

An exact number of the real ones, before and after an assignment, would tell how many of its questions are not real.
"""
MAX_COUNTED = STEPS[-1]
"""Open questions are counted up to this many."""
RECENT = 500
"""The number of newest assignments, of any task, from which the usual time is computed."""
MIN_ASSIGNMENTS = 5
"""The fewest assignments of a task from which its usual time is computed."""


@dataclass(frozen=True, slots=True)
class TaskOffer:
    """One task as one worker finds it."""

    task: str
    label: str
    state: str
    """A value of `TaskState`."""
    open: int
    """Roughly how many questions are open to the worker: one of `STEPS`, or 0; before the test, those of the test."""
    more: bool
    """Whether more than `open` may be open."""
    reward_cents: int
    """For a full assignment, paid by answered question; 0: unpaid. Tests are unpaid."""
    currency: str
    questions: int
    """In a full assignment."""
    seconds: int
    """The rough length of an assignment."""
    is_begun: bool
    """Whether the worker has begun an assignment and not submitted it."""
    message: str
    """The reason why nothing is open; empty if something is."""
    hourly_cents: int = 0
    """Rough pay by the hour of a full assignment, at the pace of earlier workers; 0: unpaid, or not measured yet."""


class _Met(NamedTuple):
    """The facts about a task and its worker that an offer tells."""

    status: TaskStatus
    is_leased: bool
    """Whether the worker has begun an assignment."""
    seconds: int
    """The time that an assignment takes, at the worker's own pace if that was measured."""
    measured: int
    """The same at everybody's pace; 0: not measured yet."""


def open_tasks(project: Project, worker_id: int) -> list[TaskOffer]:
    """Return the tasks to which the worker has access, in the order of `Task`. No count reads more than `MOST` rows."""
    granted = tasks_open_to(worker_id, project.id)
    _, settings = current_settings(project.id)
    measured = measured_seconds(project.id)
    seconds = USUAL_SECONDS | measured | _medians(submitted_work(project.id).filter(worker=worker_id))
    begun = set(assignments_on_loan(project.id, worker_id).values_list("task", flat=True))
    rows = {row.task: row for row in TrustStatus.objects.filter(worker=worker_id, project_id=project.id)}
    now = clock.now()
    return [
        _offer(
            project,
            worker_id,
            task,
            settings,
            _Met(
                status=task_status(task, rows.get(task.value), settings, now),
                is_leased=task.value in begun,
                seconds=seconds[task],
                measured=measured.get(task, 0),
            ),
        )
        for task in Task
        if task.value in granted
    ]


def in_turn(offers: list[TaskOffer], after: str = "") -> list[TaskOffer]:
    """Return the offers that the worker can take up, next first, in a round that begins after the task `after`.

    What the worker has begun comes before new work, and a test last: whoever can work is not held up by tests.
    """
    order = list(Task)
    start = order.index(Task(after)) + 1 if after else 0

    def place(offer: TaskOffer) -> tuple[bool, bool, int]:
        test = offer.state == TaskState.TEST
        return test and not offer.is_begun, not offer.is_begun, (order.index(Task(offer.task)) - start) % len(order)

    return sorted((offer for offer in offers if offer.open or offer.is_begun), key=place)


def _offer(project: Project, worker_id: int, task: Task, settings: Settings, met: _Met) -> TaskOffer:
    status, is_begun, seconds, measured = met
    state, found = status.state, status.questions
    stopped = NO_NEW_QUESTIONS.get(ProjectState(project.state), "")
    if stopped:
        found = 0
        state = TaskState.WAITING if not is_begun and state in (TaskState.OPEN, TaskState.TEST) else state
    elif state is TaskState.OPEN:
        found = max(found, open_for(project.id, task, worker_id)[: MAX_COUNTED + 1].count())
        if not (found or is_begun):
            state = TaskState.WAITING
    message = text_in_language(status.why) or gettext(stopped)
    if not (message or found or is_begun):
        message = nothing_open(project, task)
    test, batch, reward = state is TaskState.TEST, settings.batch[task.value], settings.reward_cents[task.value]
    return TaskOffer(
        task=task.value,
        label=task_name(task),
        state=state.value,
        open=found if test else roughly(found),
        more=not test and found > 0,
        reward_cents=0 if test else reward,
        currency=settings.currency,
        questions=settings.test_questions if test else batch,
        seconds=round(seconds * settings.test_questions / batch) if test else seconds,
        is_begun=is_begun and state not in (TaskState.SUSPENDED, TaskState.BARRED),
        message=message,
        hourly_cents=rough_cents(reward * 3600 // measured) if measured and not test else 0,
    )


def roughly(count: int) -> int:
    """Return the largest of `STEPS` that is less than the count, at least 1 for any; 0 if nothing is open."""
    return max((step for step in STEPS if step < count), default=1) if count else 0


def nothing_open(project: Project, task: Task) -> str:
    """Return the reason why nothing of the task is open to a worker, in words for the worker."""
    if is_any(free_questions(project.id, task).filter(for_people=True)):
        return gettext(
            "Only other people can answer what is open now: you have answered about the same things already."
        )
    leased = Question.objects.filter(project=project, task=task.value, assignment__isnull=False)
    if leased.filter(for_people=True).exists():
        return gettext("Other people are working on all open questions right now. Look again in a while.")
    finished = project.images.filter(state=ImageState.MERGED.value).count()
    if not finished:
        return gettext("Nothing is open.")
    words = ngettext(
        "Nothing is open. %(n)s image is finished.", "Nothing is open. %(n)s images are finished.", finished
    )
    return words % {"n": number_format(finished, force_grouping=True)}


def assignments_on_loan(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Return the assignments that the worker has begun and can still continue."""
    active = Assignment.objects.filter(project_id=project_id, worker=worker_id, state=Assignment.State.ACTIVE)
    return active.filter(expires_at__gt=clock.now())


def submitted_work(project_id: int) -> QuerySet[Assignment]:
    """Return the submitted assignments, newest first, without tests."""
    done = {"state": Assignment.State.SUBMITTED, "kind": Assignment.Kind.WORK}
    return Assignment.objects.filter(project_id=project_id, **done).order_by("-id")


def measured_seconds(project_id: int) -> dict[Task, int]:
    """Return the median of the seconds that people took for an assignment, of tasks with enough of them."""
    return _medians(submitted_work(project_id).filter(worker__kind=Worker.Kind.PERSON))


def _medians(assignments: QuerySet[Assignment]) -> dict[Task, int]:
    taken: dict[Task, list[float]] = defaultdict(list)
    for task, begun, ended in assignments.values_list("task", "created_at", "ended_at")[:RECENT]:
        if ended is not None:
            taken[Task(task)].append((ended - begun).total_seconds())
    return {task: round(median(times)) for task, times in taken.items() if len(times) >= MIN_ASSIGNMENTS}
