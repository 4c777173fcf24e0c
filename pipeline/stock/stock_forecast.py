"""How long the stock of verification questions lasts, worker by worker, and what the requester is warned of."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils import timezone

from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.rules.known.stock_mix import answer_of, lean
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import trust_rules
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from pipeline.stock.known_questions import Purpose
from workers.models import Access, Worker
from workers.models import TrustStatus as Row
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import Shortage, shortage
from workers.trust_of import from_row

ACTIVE = timedelta(days=30)
"""Who was given access or an assignment of the task in this time is counted on."""
AT_WORK = frozenset({TrustState.INVITED, TrustState.TESTING, TrustState.PROBATION, TrustState.TRUSTED})
NAMED = 3
"""Workers that a warning names; the others are counted."""


class Left(NamedTuple):
    """What one active worker has not been shown of a task's stock, nor answered as real questions."""

    worker: Worker
    trust: Trust
    unseen: int
    tests: int
    answered: int
    """Verification questions since probation began."""
    assignments: int | None
    """How many more they can have until nothing is left; None: they use none."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many assignments it lasts; None: nobody uses it up. Simulated workers are left out."""

    task: Task
    counts: Counter[str]
    """Questions by purpose."""
    mix: Counter[str]
    """Verification questions by right answer."""
    left: Sequence[Left]
    each: int | None
    """For somebody who comes new."""
    first: int | None
    """Until the first active worker has seen it all."""
    total: int | None
    """For all active workers together."""
    warnings: tuple[str, ...]


def stock_forecast(project_id: int, task: Task, now: datetime | None = None) -> Forecast:
    """A handful of statements, however many workers there are."""
    settings = current_settings(project_id)[1]
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None)
    known = list(rows.values_list("id", "purpose", "truth", "not_for"))
    left = _left(project_id, task, settings, known, now or timezone.now())
    counts = Counter(purpose for _, purpose, _, _ in known)
    mix = Counter(answer_of(task, truth) for _, purpose, truth, _ in known if purpose == Purpose.VERIFICATION)
    lasts = [one.assignments for one in left if one.assignments is not None]
    first, total = (min(lasts), sum(lasts)) if lasts else (None, None)
    said = tuple(_warnings(task, settings, counts, mix, left))
    each = _lasts(Trust(), trust_rules(settings, task), settings.batch[task.value], counts[Purpose.VERIFICATION], 0)
    return Forecast(task, counts, mix, left, each, first, total, said)


def warnings(project_id: int) -> list[str]:
    """What the requester should see to, task by task; those that hold for several tasks are told once."""
    tasks: dict[str, list[Task]] = {}
    for task in Task:
        for text in stock_forecast(project_id, task).warnings:
            tasks.setdefault(text, []).append(task)
    return [f"{_names(of)}: {text}" for text, of in tasks.items()]


def _names(tasks: Sequence[Task]) -> str:
    return "All tasks" if len(tasks) == len(Task) else ", ".join(task.label for task in tasks).capitalize()


KnownRow = tuple[int, str, Any, list[int]]


def _left(
    project_id: int, task: Task, settings: ProtocolSettings, known: Sequence[KnownRow], now: datetime
) -> list[Left]:
    trust_statuses = {row.worker_id: row for row in Row.objects.filter(project_id=project_id, task=task.value)}
    answered = _answered(project_id, task, trust_statuses.values())
    rules, batch = trust_rules(settings, task), settings.batch[task.value]
    found = []
    for worker in _active(project_id, task, now):
        row = trust_statuses.get(worker.id)
        trust = from_row(row)
        if trust.state not in AT_WORK:
            continue
        seen = set(row.seen) if row else set()
        mine = Counter(kind for one, kind, _, not_for in known if one not in seen and worker.id not in not_for)
        unseen, done = mine[Purpose.VERIFICATION], answered[worker.id]
        lasts = _lasts(trust, rules, batch, unseen, done)
        found.append(Left(worker, trust, unseen, mine[Purpose.TEST], done, lasts))
    return found


def _active(project_id: int, task: Task, now: datetime) -> list[Worker]:
    """With access, and lately given it or an assignment."""
    place = {"project_id": project_id, "task": task.value}
    access, asked = Access.objects.filter(**place), Assignment.objects.filter(**place, created_at__gte=now - ACTIVE)
    lately = Q(id__in=access.filter(granted_at__gte=now - ACTIVE).values("worker")) | Q(id__in=asked.values("worker"))
    admitted = Worker.objects.filter(lately, id__in=access.values("worker"))
    return list(admitted.exclude(kind=Worker.Kind.VIRTUAL).order_by("id"))


def _answered(project_id: int, task: Task, trust_statuses: Iterable[Row]) -> Counter[int]:
    """Verification questions since each one's probation began; of the others nothing is counted."""
    since = {row.worker_id: row.probation_since for row in trust_statuses if row.state == TrustState.PROBATION}
    of_task = {"known__project": project_id, "known__task": task.value, "known__purpose": Purpose.VERIFICATION}
    rows = Judgment.objects.filter(worker__in=since, **of_task).values_list("worker_id", "created_at")
    return Counter(worker for worker, moment in rows if (begun := since[worker]) is None or moment > begun)


def _lasts(trust: Trust, rules: TrustRules, batch: int, unseen: int, answered: int) -> int | None:
    """Whole assignments until the worker has seen all, probation first; None: they never will."""
    rate, first = rules.verification_rate, 0
    if rules.model is TrustModel.TRUSTED:
        rate = rules.trusted_rate
        left = 0 if trust.state is TrustState.TRUSTED else max(0, rules.probation - answered)
        first = min(unseen, left)
    if unseen > first and not rate:
        return None
    return int(first / batch + ((unseen - first) / (batch * rate) if rate else 0) + 1e-9)


def _warnings(
    task: Task, settings: ProtocolSettings, counts: Counter[str], mix: Counter[str], left: Sequence[Left]
) -> Iterator[str]:
    rules, there = trust_rules(settings, task), counts[Purpose.VERIFICATION]
    if not there:
        yield "no verification questions: who joins by an invitation waits, and nobody's work is checked."
    elif rules.model is TrustModel.TRUSTED and there < rules.probation:
        takes = rules.probation
        yield f"{there} verification questions, and probation takes {takes}: who joins by an invitation waits."
    elif rules.model is TrustModel.TRUSTED and there < rules.probation_most:
        yield (
            f"{there} verification questions: who is neither at the minimum nor clearly below it after "
            f"{rules.probation} may need {rules.probation_most}, and waits."
        )
    yield from _of_tests(settings, counts[Purpose.TEST], left)
    if there:
        yield from _of_workers(rules, there, left)
    if leaning := lean(task, mix):
        yield f"{leaning}."


def _of_tests(settings: ProtocolSettings, there: int, left: Sequence[Left]) -> Iterator[str]:
    takes = settings.test_questions
    if there < takes:
        yield f"{there or 'no'} test questions, and the qualification test takes {takes}: nobody can take it."
        return
    if there < takes * settings.tests:
        yield f"{there} test questions are enough for {there // takes} of {settings.tests} tries of {takes}."
    stuck = [one for one in left if one.trust.state in (TrustState.INVITED, TrustState.TESTING) and one.tests < takes]
    if stuck:
        yield f"A worker has seen too many of the test questions to take the test again: add some ({_who(stuck)})."


def _of_workers(rules: TrustRules, there: int, left: Sequence[Left]) -> Iterator[str]:
    """Why a worker waits, or goes on unmeasured. A stock too small for anybody was told of already."""
    found: dict[Shortage, list[Left]] = {}
    for one in left:
        why = shortage(one.trust, rules, stock=there, unseen=one.unseen, answered=one.answered)
        if why in (Shortage.PROBATION_WAITS, Shortage.USED_UP) or (why and there >= rules.probation):
            found.setdefault(why, []).append(one)
    for why, some in found.items():
        yield f"{why.value[:-1]} ({_who(some)})."


def _who(some: Sequence[Left]) -> str:
    names = ", ".join(one.worker.name for one in some[:NAMED])
    return f"{names} and {len(some) - NAMED} more" if len(some) > NAMED else names
