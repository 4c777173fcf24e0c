"""Where a worker stands on a task, as far as they are told: what they may do there now, and why not."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from annotation.models import Project
from pipeline.models import KnownQuestion
from pipeline.review_trust import evidence_of
from pipeline.rules.quality_control import trust_rules
from pipeline.rules.settings import ProtocolSettings
from pipeline.rules.task import Task
from workers import models
from workers.rules.trust import Model
from workers.rules.trust_states import Standing, State
from workers.rules.work import NOTHING_NEW, Kind, work_for
from workers.standing import from_row

Purpose = KnownQuestion.Purpose


class Told(StrEnum):
    TEST = "test"
    """The qualification test can be taken."""
    OPEN = "open"
    """On probation or trusted: nobody is told which, and nothing must look different."""
    WAITING = "waiting"
    SUSPENDED = "suspended"
    BARRED = "barred"


@dataclass(frozen=True, slots=True)
class Footing:
    told: Told = Told.OPEN
    message: str = ""
    """Why there is nothing to do, where that has to do with the worker."""
    asked: int = 0
    """Questions that the worker can be asked whatever else is open."""


def footing_of(
    project: Project, task: Task, row: models.Standing | None, settings: ProtocolSettings, now: datetime
) -> Footing:
    """`row`: the worker's standing; None: trusted by hand."""
    if row is None:
        return Footing()
    standing = _by_now(from_row(row), settings, now)
    match standing.state:
        case State.INVITED | State.TESTING:
            return _before_test(project, task, row, standing, settings, now)
        case State.SUSPENDED | State.BARRED:
            work = work_for(standing, trust_rules(settings, task), now, unseen=0)
            return Footing(Told(standing.state.value), work.reason)
        case State.PROBATION if settings.trust[task.value] == Model.TRUSTED:
            return _on_probation(project, task, row, standing, settings, now)
        case _:
            return Footing()


def _by_now(standing: Standing, settings: ProtocolSettings, now: datetime) -> Standing:
    """What time and settings make of it as soon as the worker asks for work."""
    if standing.state is State.SUSPENDED and standing.suspended_until and standing.suspended_until <= now:
        standing = replace(standing, state=standing.resumes or State.TRUSTED)
    if standing.state is State.INVITED and not settings.test_questions:
        standing = replace(standing, state=State.PROBATION)
    return standing


def _before_test(
    project: Project, task: Task, row: models.Standing, standing: Standing, settings: ProtocolSettings, now: datetime
) -> Footing:
    work = work_for(standing, trust_rules(settings, task), now, unseen=0)
    if work.kind is not Kind.TEST:
        return Footing(Told.WAITING, work.reason)
    if _unseen(project, task, row, Purpose.TEST) < settings.test_questions:
        return Footing(Told.WAITING, NOTHING_NEW)
    return Footing(Told.TEST, asked=settings.test_questions)


def _on_probation(
    project: Project, task: Task, row: models.Standing, standing: Standing, settings: ProtocolSettings, now: datetime
) -> Footing:
    unseen = _unseen(project, task, row, Purpose.VERIFICATION)
    answered = evidence_of(row.worker_id, project.id, task, standing).answered
    work = work_for(standing, trust_rules(settings, task), now, unseen=unseen, answered=answered)
    if work.kind is Kind.NONE:
        return Footing(Told.WAITING, work.reason)
    return Footing(asked=min(unseen, settings.batch[task.value]))


def _unseen(project: Project, task: Task, row: models.Standing, purpose: str) -> int:
    """How many questions of the stock the worker may still be asked."""
    stock = KnownQuestion.objects.filter(project=project, task=task.value, purpose=purpose, retired_at=None)
    rows = dict(stock.values_list("id", "not_for"))
    seen = set(row.seen)
    return sum(number not in seen and row.worker_id not in not_for for number, not_for in rows.items())
