"""The part of a trust status that the worker may see: whether the task is open now, and if not, why."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from pipeline.gold_questions.known_questions import unseen_count
from pipeline.models import KnownQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from pipeline.settings.quality_control import trust_rules
from pipeline.settings.settings import Settings
from pipeline.trust.review_trust import evidence_of
from workers import models
from workers.change_trust import from_row
from workers.rules.texts import Coded, WorkerText
from workers.rules.trust import TrustModel
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import work_for

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
