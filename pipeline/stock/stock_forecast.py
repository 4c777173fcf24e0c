"""Forecast how long the stock of verification questions lasts each worker, and warn the requester."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Q

from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.rules.known.stock_mix import answer_of, lean
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import needed_in_test, trust_rules
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from pipeline.stock.known_questions import Purpose
from upkeep import clock
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import Shortage, shortage
from workers.trust_of import from_row

ACTIVE = timedelta(days=30)
"""A worker is active who was given access to the task, or an assignment of it, in this time."""
AT_WORK = frozenset({TrustState.INVITED, TrustState.TESTING, TrustState.PROBATION, TrustState.TRUSTED})
NAMED = 3
"""Workers that a warning names; it counts the others."""


class KnownRow(NamedTuple):
    """The columns of a verification question that a forecast reads."""

    id: int
    purpose: str
    truth: Any
    not_for: list[int]


class Left(NamedTuple):
    """The rest of a task's stock for one active worker: questions neither shown to them nor answered as real ones."""

    worker: Worker
    trust: Trust
    unseen: int
    """Verification questions."""
    tests: int
    """Test questions."""
    answered: int
    """Verification questions answered since probation began."""
    assignments: int | None
    """The number of assignments until nothing is left; None: these use up no questions."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The number of assignments that a task's stock lasts, without virtual workers. None: nobody uses it up."""

    task: Task
    counts: Counter[str]
    """Questions by purpose."""
    mix: Counter[str]
    """Verification questions by right answer."""
    left: Sequence[Left]
    each: int | None
    """For a new worker."""
    first: int | None
    """Until the first active worker has seen it all."""
    total: int | None
    """For all active workers together."""
    warnings: tuple[str, ...]


def stock_forecast(project_id: int, task: Task, now: datetime | None = None) -> Forecast:
    """Forecast how long the task's stock lasts. Costs the same number of statements for any number of workers."""
    settings = current_settings(project_id)[1]
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None)
    known = [KnownRow(*row) for row in rows.values_list("id", "purpose", "truth", "not_for")]
    left = _left(project_id, task, settings, known, now or clock.now())
    counts = Counter(row.purpose for row in known)
    mix, tests = (_mix(task, known, purpose) for purpose in (Purpose.VERIFICATION, Purpose.TEST))
    lasts = [one.assignments for one in left if one.assignments is not None]
    first, total = (min(lasts), sum(lasts)) if lasts else (None, None)
    texts = (*_warnings(task, settings, counts, left), *_leans(task, settings, mix, tests))
    each = lasts_newcomer(settings, task, counts[Purpose.VERIFICATION])
    return Forecast(task, counts, mix, left, each, first, total, texts)


def lasts_newcomer(settings: ProtocolSettings, task: Task, questions: int) -> int | None:
    """Return the assignments until a new worker has seen so many verification questions. None: they never will."""
    return _lasts(Trust(), trust_rules(settings, task), settings.batch[task.value], questions, 0)


def warnings(project_id: int) -> list[str]:
    """Return the warnings about the stock of all tasks. A warning about several tasks comes once, with their names."""
    tasks: dict[str, list[Task]] = {}
    for task in Task:
        for text in stock_forecast(project_id, task).warnings:
            tasks.setdefault(text, []).append(task)
    return [f"{_names(of)}: {text}" for text, of in tasks.items()]


def _names(tasks: Sequence[Task]) -> str:
    return "All tasks" if len(tasks) == len(Task) else ", ".join(task.label for task in tasks).capitalize()


def _left(
    project_id: int, task: Task, settings: ProtocolSettings, known: Sequence[KnownRow], now: datetime
) -> list[Left]:
    statuses = {row.worker_id: row for row in TrustStatus.objects.filter(project_id=project_id, task=task.value)}
    answered = _answered(project_id, task, statuses.values())
    rules, batch = trust_rules(settings, task), settings.batch[task.value]
    found = []
    for worker in _active(project_id, task, now):
        row = statuses.get(worker.id)
        trust = from_row(row)
        if trust.state not in AT_WORK:
            continue
        seen = set(row.seen) if row else set()
        mine = Counter(one.purpose for one in known if one.id not in seen and worker.id not in one.not_for)
        unseen, done = mine[Purpose.VERIFICATION], answered[worker.id]
        lasts = _lasts(trust, rules, batch, unseen, done)
        found.append(Left(worker, trust, unseen, mine[Purpose.TEST], done, lasts))
    return found


def _active(project_id: int, task: Task, now: datetime) -> list[Worker]:
    """Select the workers with access who were given access or an assignment lately."""
    of_task = {"project_id": project_id, "task": task.value}
    access, asked = Access.objects.filter(**of_task), Assignment.objects.filter(**of_task, created_at__gte=now - ACTIVE)
    lately = Q(id__in=access.filter(granted_at__gte=now - ACTIVE).values("worker")) | Q(id__in=asked.values("worker"))
    admitted = Worker.objects.filter(lately, id__in=access.values("worker"))
    return list(admitted.exclude(kind=Worker.Kind.VIRTUAL).order_by("id"))


def _answered(project_id: int, task: Task, statuses: Iterable[TrustStatus]) -> Counter[int]:
    """Count the answers to verification questions since probation began, of workers on probation, by worker id."""
    since = {row.worker_id: row.probation_since for row in statuses if row.state == TrustState.PROBATION}
    of_task = {"known__project": project_id, "known__task": task.value, "known__purpose": Purpose.VERIFICATION}
    rows = Judgment.objects.filter(worker__in=since, **of_task).values_list("worker_id", "created_at")
    return Counter(worker for worker, moment in rows if (begun := since[worker]) is None or moment > begun)


def _lasts(trust: Trust, rules: TrustRules, batch: int, unseen: int, answered: int) -> int | None:
    """Return the whole assignments until a worker has seen all, probation first. None: they never will."""
    rate, first = rules.verification_rate, 0
    if rules.model is TrustModel.TRUSTED:
        rate = rules.trusted_rate
        left = 0 if trust.state is TrustState.TRUSTED else max(0, rules.probation - answered)
        first = min(unseen, left)
    if unseen > first and not rate:
        return None
    return int(first / batch + ((unseen - first) / (batch * rate) if rate else 0) + 1e-9)


def _warnings(task: Task, settings: ProtocolSettings, counts: Counter[str], left: Sequence[Left]) -> Iterator[str]:
    rules, stock = trust_rules(settings, task), counts[Purpose.VERIFICATION]
    if not stock:
        yield "no verification questions: people who join by an invitation have to wait, and no work is checked."
    elif rules.model is TrustModel.TRUSTED and stock < rules.probation:
        takes = rules.probation
        yield f"{stock} verification questions, but probation takes {takes}: people who join have to wait."
    elif rules.model is TrustModel.TRUSTED and stock < rules.probation_most:
        yield (
            f"{stock} verification questions: workers a little below the minimum after {rules.probation} are judged "
            f"by their score when they have used up the stock, not after {rules.probation_most}."
        )
    yield from _of_tests(settings, counts[Purpose.TEST], left)
    if stock:
        yield from _of_workers(rules, stock, left)


def _mix(task: Task, known: Sequence[KnownRow], purpose: KnownQuestion.Purpose) -> Counter[str]:
    return Counter(answer_of(task, row.truth) for row in known if row.purpose == purpose)


def _leans(task: Task, settings: ProtocolSettings, mix: Counter[str], tests: Counter[str]) -> Iterator[str]:
    """Warn of answers that are right too often, in verification questions or in the test."""
    if leaning := lean(task, mix, settings.minimum[task.value]):
        yield f"{leaning}."
    asked = settings.test_questions
    if asked and (leaning := lean(task, tests, needed_in_test(settings, task, asked) / asked)):
        yield f"in the test {leaning}."


def _of_tests(settings: ProtocolSettings, stock: int, left: Sequence[Left]) -> Iterator[str]:
    takes = settings.test_questions
    if stock < takes:
        yield f"{stock or 'no'} test questions, but the qualification test takes {takes}: nobody can take it."
        return
    if stock < takes * settings.tests:
        yield f"{stock} test questions are enough for {stock // takes} of {settings.tests} tries of {takes}."
    stuck = [one for one in left if one.trust.state in (TrustState.INVITED, TrustState.TESTING) and one.tests < takes]
    if stuck:
        yield f"A worker has seen too many of the test questions to take the test again: add some ({_who(stuck)})."


def _of_workers(rules: TrustRules, stock: int, left: Sequence[Left]) -> Iterator[str]:
    """Warn of workers who have to wait, or go on unmeasured. Other warnings cover a stock too small for anybody."""
    found: dict[Shortage, list[Left]] = {}
    for one in left:
        why = shortage(one.trust, rules, stock=stock, unseen=one.unseen, answered=one.answered)
        if why in (Shortage.PROBATION_WAITS, Shortage.USED_UP) or (why and stock >= rules.probation):
            found.setdefault(why, []).append(one)
    for why, some in found.items():
        yield f"{why.value[:-1]} ({_who(some)})."


def _who(some: Sequence[Left]) -> str:
    names = ", ".join(one.worker.name for one in some[:NAMED])
    return f"{names} and {len(some) - NAMED} more" if len(some) > NAMED else names
