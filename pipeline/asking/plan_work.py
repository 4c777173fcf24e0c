"""Plan a worker's next work [paper 3.3]: a test, verification questions only, or real questions with some of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pipeline.asking.admission import Admission, TaskHistory
from pipeline.errors import NotTrustedError
from pipeline.gold_questions.known_questions import EMPTY, alike_of, known_questions_of
from pipeline.models import Assignment, KnownQuestion
from pipeline.project.open_questions import met_captions
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings, trust_rules
from pipeline.settings.settings import Settings
from pipeline.trust.review_trust import review_trust
from workers.change_trust import BY_HAND, apply_decision, begin_trust, trust_of
from workers.models import TrustStatus
from workers.rules.texts import WorkerText
from workers.rules.trust import Decision, TrustModel, TrustRules, act
from workers.rules.trust_states import Trust, TrustEvent, TrustStart, TrustState
from workers.rules.work import NextWork, WorkKind, is_barred, work_for
from workers.task_words import text_in_language

Purpose = KnownQuestion.Purpose


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """The parts of a worker's next assignment of a task."""

    project_id: int
    task: Task
    work: NextWork
    history: TaskHistory
    unseen: Sequence[KnownQuestion]
    """Verification questions, or those of the test, that the worker may still be asked."""
    alike: Mapping[str, Collection[int]]
    """Ids of the task's whole stock, by the digests of what its questions ask."""


def plan_work(admitted: Admission, settings: Settings, now: datetime, *, unanswered: int = 0) -> WorkPlan | None:
    """Plan the worker's next assignment. None: real questions only, as there are no verification questions.

    `unanswered`: the verification questions that the worker is answering now, which count as answered.

    Brings the worker's trust up to date first, and starts or waives the first test. Raises NotTrustedError, with the
    reason in words, if there is no work for the worker.
    """
    worker_id, task, history = admitted.worker_id, admitted.task, admitted.history
    if history is None:
        if admitted.stamp == EMPTY:
            return None
        history = _begin_trusted(admitted, now)
    if history.trust.state is TrustState.INVITED:
        history = history._replace(trust=_begin_test(admitted, settings, now))
    answered = unanswered
    on_probation = history.trust.state is TrustState.PROBATION and settings.trust[task.value] == TrustModel.TRUSTED
    until = history.trust.suspended_until if history.trust.state is TrustState.SUSPENDED else None
    if on_probation or (until is not None and until <= now):
        # Since probation began the worker was asked verification questions only, so the time this takes tells nothing.
        review = review_trust(
            worker_id=worker_id, project_id=admitted.project_id, task=task, settings=settings, now=now
        )
        row = TrustStatus.objects.get(worker=worker_id, project=admitted.project_id, task=task.value)
        counts = (row.asked, row.verified, row.rounds, row.left_assignment)
        history = TaskHistory(review.trust, row.seen, row.images, *counts)
        answered += review.answered
    return _plan(admitted, history, settings, now, answered)


def _plan(admitted: Admission, history: TaskHistory, settings: Settings, now: datetime, answered: int) -> WorkPlan:
    worker_id, task, seen = admitted.worker_id, admitted.task, set(history.seen)
    stock = known_questions_of(admitted.project_id, task, admitted.stamp)
    mine = [known for known in stock if known.id not in seen and worker_id not in known.not_for]
    if task is Task.CAPTION_CHECK:
        met = met_captions(worker_id, admitted.project_id)
        mine = [known for known in mine if met.leaves_free(known.id, known.image_id)]
    unseen = [known for known in mine if known.purpose == Purpose.VERIFICATION]
    rules = trust_rules(settings, task)
    work = work_for(history.trust, rules, now, unseen=_countable(unseen, task), answered=answered)
    if work.kind is WorkKind.TEST:
        unseen = _begun_test(admitted, stock) or [known for known in mine if known.purpose == Purpose.TEST]
        if _countable(unseen, task) < settings.test_questions:
            raise NotTrustedError(text_in_language(WorkerText.NOTHING_NEW.coded()))
    if work.reason:
        raise NotTrustedError(text_in_language(work.reason))
    alike = alike_of(admitted.project_id, task, admitted.stamp)
    return WorkPlan(admitted.project_id, task, work, history, unseen, alike)


def _countable(unseen: Sequence[KnownQuestion], task: Task) -> int:
    """Count the questions that one worker can be asked: of the captions of a picture, one."""
    return len({known.image_id for known in unseen}) if task is Task.CAPTION_CHECK else len(unseen)


def _begun_test(admitted: Admission, known_questions: Sequence[KnownQuestion]) -> list[KnownQuestion]:
    """Return the questions of a test that the worker left: coming back, they are asked the same ones."""
    of = {"worker": admitted.worker_id, "project": admitted.project_id, "task": admitted.task.value}
    tests = Assignment.objects.filter(**of, kind=Assignment.Kind.TEST).order_by("-id")
    last = tests.only("state", "known").first()
    if last is None or last.state == Assignment.State.SUBMITTED:
        return []
    left = set(last.known.values())
    return [known for known in known_questions if known.id in left]


def _begin_trusted(admitted: Admission, now: datetime) -> TaskHistory:
    """Start to measure a worker whom access made trusted, now that there are verification questions."""
    because = "The worker had access, and the first verification questions were added."
    begin_trust(
        worker_id=admitted.worker_id,
        project_id=admitted.project_id,
        tasks=[admitted.task.value],
        start=TrustStart.TRUSTED,
        because=because,
        now=now,
    )
    return TaskHistory(replace(BY_HAND, trusted_since=now), [], [], 0, 0, 0)


def _begin_test(admitted: Admission, settings: TrustSettings, now: datetime) -> Trust:
    """Start an invited worker with the test, or with probation if the project has no test."""
    event = TrustEvent.BEGIN_TEST if settings.test_questions else TrustEvent.WAIVE_TEST
    because = "" if settings.test_questions else "The project has no qualification test."

    def decided(old: Trust) -> Decision | None:
        # A second request at the same time finds the test begun.
        return act(old, event, TrustRules(), now, because=because) if old.state is TrustState.INVITED else None

    worker_id, project_id, task = admitted.worker_id, admitted.project_id, admitted.task.value
    apply_decision(worker_id=worker_id, project_id=project_id, task=task, decide=decided, now=now)
    return trust_of(worker_id, project_id, task)


def may_go_on(history: TaskHistory | None, now: datetime) -> bool:
    """Return whether the worker may go on with what they began: not if they are suspended or barred."""
    return history is None or not is_barred(history.trust, now)
