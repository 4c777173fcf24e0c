"""Forecast how long the stock of verification questions lasts each worker, and warn the requester."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q

from pipeline.gold_questions.known_questions import Purpose
from pipeline.gold_questions.suggest_known import trusted_judgments
from pipeline.known.question_mix import (
    SOME_SAME,
    answer_name,
    answer_names,
    kinds_of,
    kinds_present,
    mix_faults,
    one_button,
)
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.policies.compose import engine_of
from pipeline.project.queries import tasks_of_id
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_work import TrustSettings, needed_in_test, trust_rules
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import work_of
from runtime import clock
from runtime.words import percent
from workers.change_trust import from_row
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import Shortage, shortage

ACTIVE = timedelta(days=30)
"""A worker is active who was given access to the task, or an assignment of it, in this time."""
AT_WORK = frozenset({TrustState.INVITED, TrustState.TESTING, TrustState.PROBATION, TrustState.TRUSTED})


class WorkerHistory(NamedTuple):
    """An active worker's standing on a task."""

    worker: Worker
    trust: Trust
    seen: set[int]
    """Ids of verification questions."""
    answered: int
    """Verification questions answered since probation began."""


def read_histories(project_id: int, tasks: Sequence[Task], now: datetime) -> dict[Task, list[WorkerHistory]]:
    """Return the active workers of each task by id, without virtual ones, in four statements."""
    rows = list(TrustStatus.objects.filter(project_id=project_id, task__in=tasks))
    statuses = {(row.worker_id, row.task): row for row in rows}
    answered = _answered(project_id, tasks, rows)
    active = _active(project_id, tasks, now)
    # Not joined to the access: a worker is there once, and not for each task.
    workers = Worker.objects.exclude(kind=Worker.Kind.VIRTUAL).in_bulk({worker for worker, _ in active})
    found: dict[Task, list[WorkerHistory]] = {task: [] for task in tasks}
    for worker, name in active:
        row = statuses.get((worker, name))
        trust = from_row(row)
        if worker in workers and trust.state in AT_WORK:
            seen = set(row.seen) if row else set()
            found[Task(name)].append(WorkerHistory(workers[worker], trust, seen, answered[worker, name]))
    return found


def _active(project_id: int, tasks: Sequence[Task], now: datetime) -> list[tuple[int, str]]:
    """Return worker and task, by worker, of those who were given access or an assignment lately."""
    place = {"project": OuterRef("project"), "worker": OuterRef("worker"), "task": OuterRef("task")}
    asked = Exists(Assignment.objects.filter(**place, created_at__gte=now - ACTIVE))
    lately = Access.objects.filter(Q(granted_at__gte=now - ACTIVE) | asked, project_id=project_id, task__in=tasks)
    return list(lately.order_by("worker_id").values_list("worker_id", "task"))


def _answered(project_id: int, tasks: Sequence[Task], statuses: Iterable[TrustStatus]) -> Counter[tuple[int, str]]:
    """Count the answers to verification questions since probation began, of workers on probation."""
    since = {(row.worker_id, row.task): row.probation_since for row in statuses if row.state == TrustState.PROBATION}
    asked = {"known__project": project_id, "known__task__in": tasks, "known__purpose": Purpose.VERIFICATION}
    rows = Judgment.objects.filter(worker__in={worker for worker, _ in since}, **asked)
    found: Counter[tuple[int, str]] = Counter()
    for worker, task, moment in rows.order_by().values_list("worker_id", "known__task", "created_at"):
        if (worker, task) in since and ((begun := since[worker, task]) is None or moment > begun):
            found[worker, task] += 1
    return found


NAMED = 3
"""Workers that a warning names; it counts the others."""


class KnownRow(NamedTuple):
    """The columns of a verification question that a forecast reads."""

    id: int
    purpose: str
    truth: Any
    shown: dict[str, Any]
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
class KnownForecast:
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
    for_new_workers: tuple[str, ...]
    """Those warnings that matter only if people can still join."""


def known_forecasts(project_id: int, tasks: Sequence[Task] = ()) -> dict[Task, KnownForecast]:
    """Forecast how long the stock of each of these tasks, or of all, lasts, in as many statements as for one."""
    tasks = tasks or tasks_of_id(project_id)
    settings = current_settings(project_id)[1]
    rows = KnownQuestion.objects.filter(project_id=project_id, task__in=tasks, retired_at=None)
    known: dict[str, list[KnownRow]] = defaultdict(list)
    for name, *row in rows.values_list("task", *KnownRow._fields):
        known[name].append(KnownRow(*row))
    stands = read_histories(project_id, tasks, clock.now())
    return {task: _forecast(task, settings, known[task.value], stands[task]) for task in tasks}


def _forecast(
    task: Task, settings: Settings, known: Sequence[KnownRow], stands: Sequence[WorkerHistory]
) -> KnownForecast:
    shown = [row.shown for row in known if row.purpose == Purpose.VERIFICATION]
    left = _left(task, settings, known, stands, _of_assignment(settings, task, shown))
    counts = Counter(row.purpose for row in known)
    mix, tests = (
        Counter(answer_name(task, row.truth) for row in known if row.purpose == purpose)
        for purpose in (Purpose.VERIFICATION, Purpose.TEST)
    )
    lasts = [remaining.assignments for remaining in left if remaining.assignments is not None]
    first, total = (min(lasts), sum(lasts)) if lasts else (None, None)
    new = (*_of_known_questions(task, settings, counts), *_of_test_questions(settings, counts[Purpose.TEST]))
    of_mix = (*_of_shapes(task, settings, mix), *_leans(task, settings, mix, tests))
    of_workers = (*_of_workers(task, settings, counts, left), *of_mix)
    each = assignments_of_new_worker(settings, task, shown)
    # Where nobody is trusted, everybody needs verification questions.
    only_new = new if trust_rules(settings, task).model is TrustModel.TRUSTED else ()
    return KnownForecast(task, counts, mix, left, each, first, total, (*new, *of_workers), only_new)


def assignments_of_new_worker(settings: Settings, task: Task, shown: Collection[Mapping[str, Any]]) -> int | None:
    """Return the assignments until a new worker has seen verification questions that show this; None: never."""
    return _lasts(Trust(), trust_rules(settings, task), _of_assignment(settings, task, shown), len(shown), 0)


def _of_assignment(settings: Settings, task: Task, shown: Collection[Mapping[str, Any]]) -> Fraction:
    """Return how many such questions an assignment has on average."""
    work = work_of(task, shown)
    return settings.batch[task.value] * (len(shown) / work if work else Fraction(1))


def warnings(project_id: int) -> list[str]:
    """Return the warnings about the stock of all tasks. A warning about several tasks comes once, with their names."""
    return warnings_of(known_forecasts(project_id).values())


def warnings_of(forecasts: Iterable[KnownForecast]) -> list[str]:
    """Return the warnings of the forecasts of all tasks, as `warnings` does."""
    tasks: dict[str, list[Task]] = {}
    for forecast in forecasts:
        for text in forecast.warnings:
            tasks.setdefault(text, []).append(forecast.task)
    return [f"{_names(of)}: {text}" for text, of in tasks.items()]


def _names(tasks: Sequence[Task]) -> str:
    return "All tasks" if len(tasks) == len(PROTOCOL_TASKS) else ", ".join(task.label for task in tasks).capitalize()


def _left(
    task: Task, settings: Settings, known: Sequence[KnownRow], stands: Sequence[WorkerHistory], batch: Fraction
) -> list[Left]:
    """Return what is left for each worker at work. What a worker has seen is looked up, and not the whole stock."""
    purposes, counts = (
        {question.id: question.purpose for question in known},
        Counter(question.purpose for question in known),
    )
    barred: dict[int, set[int]] = defaultdict(set)
    for question in known:
        for number in question.not_for:
            barred[number].add(question.id)
    rules, found = trust_rules(settings, task), []
    for worker, trust, seen, answered in stands:
        gone = Counter(purposes[number] for number in seen | barred.get(worker.id, set()) if number in purposes)
        unseen, tests = (counts[purpose] - gone[purpose] for purpose in (Purpose.VERIFICATION, Purpose.TEST))
        lasts = _lasts(trust, rules, batch, unseen, answered)
        found.append(Left(worker, trust, unseen, tests, answered, lasts))
    return found


def _lasts(trust: Trust, rules: TrustRules, batch: Fraction, unseen: int, answered: int) -> int | None:
    """Return the whole assignments until a worker has seen all, probation first. None: they never will."""
    rate, first = rules.verification_rate, 0
    if rules.model is TrustModel.TRUSTED:
        rate = rules.trusted_rate
        left = 0 if trust.state is TrustState.TRUSTED else max(0, rules.probation - answered)
        first = min(unseen, left)
    if unseen > first and not rate:
        return None
    return int(first / batch + ((unseen - first) / (batch * rate) if rate else 0) + 1e-9)


def _of_known_questions(task: Task, settings: Settings, counts: Counter[str]) -> Iterator[str]:
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


def _of_shapes(task: Task, settings: Settings, mix: Counter[str]) -> Iterator[str]:
    """Warn of a stock without sweeps in a project that asks some: pairs in their place could be told."""
    if mix and not mix[SOME_SAME] and engine_of(settings).link_shapes.intersection(kinds_of(task)):
        yield "no sweeps among the verification questions: pairs come in their place. Fill the stock from gold again."


def _leans(task: Task, settings: Settings, mix: Counter[str], tests: Counter[str]) -> Iterator[str]:
    """Warn of answers that are right too often, in verification questions or in the test."""
    if leaning := mix_faults(task, mix, settings.minimum[task.value]):
        yield f"{leaning}."
    asked = settings.test_questions
    if asked and (leaning := mix_faults(task, tests, needed_in_test(settings, task, asked) / asked)):
        yield f"in the test {leaning}."


def _of_test_questions(settings: TrustSettings, tests: int) -> Iterator[str]:
    takes = settings.test_questions
    if tests < takes:
        yield f"{tests or 'no'} test questions, but the qualification test takes {takes}: nobody can take it."
    elif tests < takes * settings.tests:
        yield f"{tests} test questions are enough for {tests // takes} of {settings.tests} tries of {takes}."


def _of_workers(task: Task, settings: Settings, counts: Counter[str], left: Sequence[Left]) -> Iterator[str]:
    """Warn of workers who have to wait, or go on unmeasured. Other warnings cover a stock too small for anybody."""
    rules, takes = trust_rules(settings, task), settings.test_questions
    stock, tests = counts[Purpose.VERIFICATION], counts[Purpose.TEST]
    stuck = [
        remaining
        for remaining in left
        if remaining.trust.state in (TrustState.INVITED, TrustState.TESTING) and remaining.tests < takes
    ]
    if stuck and tests >= takes:
        yield f"A worker has seen too many of the test questions to take the test again: add some ({_who(stuck)})."
    found: dict[Shortage, list[Left]] = {}
    for remaining in left if stock else ():
        why = shortage(
            remaining.trust, rules, known_questions=stock, unseen=remaining.unseen, answered=remaining.answered
        )
        if why in (Shortage.PROBATION_WAITS, Shortage.USED_UP) or (why and stock >= rules.probation):
            found.setdefault(why, []).append(remaining)
    for why, some in found.items():
        yield f"{why.value[:-1]} ({_who(some)})."


def _who(some: Sequence[Left]) -> str:
    names = ", ".join(remaining.worker.name for remaining in some[:NAMED])
    return f"{names} and {len(some) - NAMED} more" if len(some) > NAMED else names


SUSPECT_FROM = 3
"""Answers by trusted workers, most of them wrong, that make a question suspect: it may be wrong itself."""


class QuestionAnswers(NamedTuple):
    """Trusted workers' answers to a question, and the right ones among them."""

    known: int
    answers: int
    right: int

    @property
    def is_suspect(self) -> bool:
        return self.answers >= SUSPECT_FROM and 2 * self.right < self.answers


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The report on one task's stock, without retired questions."""

    task: Task
    forecast: KnownForecast
    answers: int
    right: int
    """Both count only answers of trusted workers."""
    suspects: list[KnownQuestion]

    def count(self, purpose: KnownQuestion.Purpose) -> int:
        return self.forecast.counts[purpose]

    @property
    def mix(self) -> str:
        """The share of each right answer, in words."""
        names = [answer for kind in kinds_present(self.task, self.forecast.mix) for answer in answer_names(kind)]
        return ", ".join(f"{answer} {self.forecast.mix[answer]}" for answer in names)

    @property
    def one_button(self) -> str:
        """The best score of a worker who always gives the same answer, in words."""
        answer, share = one_button(self.task, self.forecast.mix)
        return f"{percent(share)} by always “{answer}”" if self.forecast.mix else "-"

    @property
    def share_right(self) -> str:
        """The share of right answers among those of trusted workers, in words."""
        return f"{percent(self.right / self.answers)} of {self.answers:,}" if self.answers else "no answers yet"

    @property
    def new_worker(self) -> str:
        """The number of assignments that the stock lasts a new worker, in words."""
        each = self.forecast.each
        return "any number" if each is None else f"{each:,}"

    @property
    def at_work(self) -> str:
        """The number of assignments until the first active worker has seen the whole stock, in words."""
        first, total, workers = self.forecast.first, self.forecast.total, len(self.forecast.left)
        if first is None:
            return "nobody"
        return f"{first:,}" if workers == 1 else f"{first:,} ({total:,} for all {workers:,})"


def known_reports(project_id: int, tasks: Sequence[Task] = ()) -> list[TaskReport]:
    """Report on each of these tasks, or of all, in as many statements as on one."""
    tasks = tasks or tasks_of_id(project_id)
    done = answered(project_id, tasks)
    wrong = [question.known for some in done.values() for question in some if question.is_suspect]
    suspects: dict[str, list[KnownQuestion]] = defaultdict(list)
    for known in KnownQuestion.objects.filter(id__in=wrong).select_related("image"):
        suspects[known.task].append(known)
    forecasts = known_forecasts(project_id, tasks)
    return [_report(forecasts[task], done[task], suspects[task.value]) for task in tasks]


def _report(forecast: KnownForecast, done: list[QuestionAnswers], suspects: list[KnownQuestion]) -> TaskReport:
    total, right = sum(question.answers for question in done), sum(question.right for question in done)
    return TaskReport(forecast.task, forecast, total, right, suspects)


def answered(project_id: int, tasks: Sequence[Task]) -> dict[Task, list[QuestionAnswers]]:
    """Count trusted workers' answers to each verification question of these tasks that has some."""
    rows = trusted_judgments(project_id, current_settings(project_id)[1], "known").filter(
        known__project=project_id,
        known__task__in=tasks,
        known__retired_at=None,
        known__purpose=Purpose.VERIFICATION,
    )
    counted = rows.order_by().values("known__task", "known")
    counted = counted.annotate(answers=Count("id"), good=Count("id", filter=Q(right=True)))
    found: dict[Task, list[QuestionAnswers]] = {task: [] for task in tasks}
    for task, *row in counted.values_list("known__task", "known", "answers", "good"):
        found[Task(task)].append(QuestionAnswers(*row))
    return found
