"""Where a worker stands on a task, as far as they are told: what they may do there now, and why not."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from annotation.models import Project
from pipeline.models import KnownQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import trust_rules
from pipeline.rules.tasks.task import Task
from pipeline.trust.review_trust import evidence_of
from workers import models
from workers.rules.trust import TrustModel
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import NOTHING_NEW, WorkKind, work_for
from workers.trust_of import from_row

Purpose = KnownQuestion.Purpose


class TaskState(StrEnum):
    TEST = "test"
    """The qualification test can be taken."""
    OPEN = "open"
    """On probation or trusted: nobody is told which, and nothing must look different."""
    WAITING = "waiting"
    SUSPENDED = "suspended"
    BARRED = "barred"


@dataclass(frozen=True, slots=True)
class TaskStatus:
    told: TaskState = TaskState.OPEN
    message: str = ""
    """Why there is nothing to do, where that has to do with the worker."""
    asked: int = 0
    """Questions that the worker can be asked whatever else is open."""


def task_status(
    project: Project, task: Task, row: models.TrustStatus | None, settings: ProtocolSettings, now: datetime
) -> TaskStatus:
    """`row`: the worker's trust; None: trusted by hand."""
    if row is None:
        return TaskStatus()
    trust = _by_now(from_row(row), settings, now)
    match trust.state:
        case TrustState.INVITED | TrustState.TESTING:
            return _before_test(project, task, row, trust, settings, now)
        case TrustState.SUSPENDED | TrustState.BARRED:
            work = work_for(trust, trust_rules(settings, task), now, unseen=0)
            return TaskStatus(TaskState(trust.state.value), work.reason)
        case TrustState.PROBATION if settings.trust[task.value] == TrustModel.TRUSTED:
            return _on_probation(project, task, row, trust, settings, now)
        case _:
            return TaskStatus()


def _by_now(trust: Trust, settings: ProtocolSettings, now: datetime) -> Trust:
    """What time and settings make of it as soon as the worker asks for work."""
    if trust.state is TrustState.SUSPENDED and trust.suspended_until and trust.suspended_until <= now:
        trust = replace(trust, state=trust.resumes or TrustState.TRUSTED)
    if trust.state is TrustState.INVITED and not settings.test_questions:
        trust = replace(trust, state=TrustState.PROBATION)
    return trust


def _before_test(
    project: Project, task: Task, row: models.TrustStatus, trust: Trust, settings: ProtocolSettings, now: datetime
) -> TaskStatus:
    work = work_for(trust, trust_rules(settings, task), now, unseen=0)
    if work.kind is not WorkKind.TEST:
        return TaskStatus(TaskState.WAITING, work.reason)
    if _unseen(project, task, row, Purpose.TEST) < settings.test_questions:
        return TaskStatus(TaskState.WAITING, NOTHING_NEW)
    return TaskStatus(TaskState.TEST, asked=settings.test_questions)


def _on_probation(
    project: Project, task: Task, row: models.TrustStatus, trust: Trust, settings: ProtocolSettings, now: datetime
) -> TaskStatus:
    unseen = _unseen(project, task, row, Purpose.VERIFICATION)
    answered = evidence_of(row.worker_id, project.id, task, trust).answered
    work = work_for(trust, trust_rules(settings, task), now, unseen=unseen, answered=answered)
    if work.kind is WorkKind.NONE:
        return TaskStatus(TaskState.WAITING, work.reason)
    return TaskStatus(asked=min(unseen, settings.batch[task.value]))


def _unseen(project: Project, task: Task, row: models.TrustStatus, purpose: str) -> int:
    """How many questions of the stock the worker may still be asked."""
    stock = KnownQuestion.objects.filter(project=project, task=task.value, purpose=purpose, retired_at=None)
    rows = dict(stock.values_list("id", "not_for"))
    seen = set(row.seen)
    return sum(number not in seen and row.worker_id not in not_for for number, not_for in rows.items())
