"""What a worker is given next [paper 3.3]: a test, verification questions only, or real questions with some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from pipeline.asking.admission import Admission, TaskHistory
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment, KnownQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import trust_rules
from pipeline.rules.tasks.task import Task
from pipeline.stock.stock_cache import EMPTY, alike_of, stock_of
from pipeline.trust.review_trust import review_trust
from workers.change_trust import apply_decision
from workers.models import TrustStatus as Row
from workers.rules.trust import Decision, TrustModel, TrustRules, act
from workers.rules.trust_states import Trust, TrustEvent, TrustState
from workers.rules.work import NOTHING_NEW, Work, WorkKind, why_not, work_for
from workers.trust_of import from_row

Purpose = KnownQuestion.Purpose


class WorkerTask(TypedDict):
    worker_id: int
    project_id: int
    task: str


@dataclass(frozen=True, slots=True)
class WorkPlan:
    project_id: int
    task: Task
    work: Work
    footing: TaskHistory
    unseen: Sequence[KnownQuestion]
    """Verification questions, or those of the test, that the worker may still be asked."""
    alike: Mapping[str, int]
    """All of the task's stock, by the digest of what they show."""


def plan_work(
    admitted: Admission, worker_id: int, task: Task, settings: ProtocolSettings, now: datetime
) -> WorkPlan | None:
    """None: trusted by hand, and there is nothing to verify with: real questions only.

    Time and scores act first; a first test is begun, or waived where there is none. NotTrustedError: nothing is for
    them, in words.
    """
    if admitted.footing is None and admitted.stock == EMPTY:
        return None
    footing = admitted.footing or _trusted_by_hand(admitted.project_id, worker_id, task, now)
    place: WorkerTask = {"worker_id": worker_id, "project_id": admitted.project_id, "task": task.value}
    if footing.trust.state is TrustState.INVITED:
        footing = footing._replace(trust=_welcome(place, settings, now))
    answered = 0
    on_probation = footing.trust.state is TrustState.PROBATION and settings.trust[task.value] == TrustModel.TRUSTED
    if on_probation or _is_over(footing.trust, now):
        # All that was asked since probation began was known, so that the time this takes tells nothing.
        review = review_trust(
            worker_id=worker_id, project_id=admitted.project_id, task=task, settings=settings, now=now
        )
        row = Row.objects.get(**place)
        footing = TaskHistory(review.trust, row.seen, row.images, row.asked, row.verified, row.rounds)
        answered = review.answered
    return _plan(admitted, footing, worker_id, task, settings, now, answered)


def _plan(
    admitted: Admission,
    footing: TaskHistory,
    worker_id: int,
    task: Task,
    settings: ProtocolSettings,
    now: datetime,
    answered: int,
) -> WorkPlan:
    seen = set(footing.seen)
    stock = stock_of(admitted.project_id, task, admitted.stock)
    mine = [one for one in stock if one.id not in seen and worker_id not in one.not_for]
    unseen = [one for one in mine if one.purpose == Purpose.VERIFICATION]
    rules = trust_rules(settings, task)
    work = work_for(footing.trust, rules, now, unseen=len(unseen), answered=answered)
    if work.kind is WorkKind.TEST:
        unseen = _begun_test(worker_id, admitted.project_id, task, stock) or [
            one for one in mine if one.purpose == Purpose.TEST
        ]
        if len(unseen) < settings.test_questions:
            raise NotTrustedError(NOTHING_NEW)
    if work.kind is WorkKind.NONE:
        raise NotTrustedError(work.reason)
    alike = alike_of(admitted.project_id, task, admitted.stock)
    return WorkPlan(admitted.project_id, task, work, footing, unseen, alike)


def _begun_test(worker_id: int, project_id: int, task: Task, stock: Sequence[KnownQuestion]) -> list[KnownQuestion]:
    """The questions of a test that was left: who comes back to it is asked the same."""
    place = {"worker": worker_id, "project": project_id, "task": task.value, "kind": Assignment.Kind.TEST}
    last = Assignment.objects.filter(**place).order_by("-id").values_list("state", "known").first()
    if last is None or last[0] == Assignment.State.SUBMITTED:
        return []
    left = set(last[1].values())
    return [one for one in stock if one.id in left]


def _trusted_by_hand(project_id: int, worker_id: int, task: Task, now: datetime) -> TaskHistory:
    """From the day that there is something to verify with, a worker whom access made trusted is verified, too."""
    new = {"state": TrustState.TRUSTED.value, "passed_test": True, "trusted_since": now}
    Row.objects.get_or_create(worker_id=worker_id, project_id=project_id, task=task.value, defaults=new)
    return TaskHistory(Trust(TrustState.TRUSTED, passed_test=True, trusted_since=now), [], [], 0, 0, 0)


def _welcome(place: WorkerTask, settings: ProtocolSettings, now: datetime) -> Trust:
    """Who was invited begins the test; where a project has none, probation."""
    event = TrustEvent.BEGIN_TEST if settings.test_questions else TrustEvent.WAIVE_TEST
    because = "" if settings.test_questions else "The project has no qualification test."

    def decided(old: Trust) -> Decision | None:
        # Who asks twice at once is welcomed once.
        return act(old, event, TrustRules(), now, because=because) if old.state is TrustState.INVITED else None

    apply_decision(**place, decide=decided, now=now)
    return from_row(Row.objects.get(**place))


def may_go_on(footing: TaskHistory | None, now: datetime) -> bool:
    """With what they have begun: who is suspended or barred may not."""
    return footing is None or not why_not(footing.trust, now)


def _is_over(trust: Trust, now: datetime) -> bool:
    """Whether a suspension ends."""
    return bool(trust.state is TrustState.SUSPENDED and trust.suspended_until and trust.suspended_until <= now)
