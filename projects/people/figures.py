"""Figures of workers: who may answer or has answered, how good each is, and the standing of each in words."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Max, OuterRef, Q, Subquery

from annotation.models import Box, Project
from annotation.rules.states import BoxState
from exchange.jsonl.write import pseudonym
from labelling.models import Conversation
from pipeline.models import Assignment, Judgment, KnownQuestion, SettingsVersion
from pipeline.money.ledger import Pay, WorkerBalance, accounts, hourly_pay
from pipeline.project.settings_versions import AS_TEXT, read_version
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import trust_rules
from pipeline.settings.settings import Settings
from projects.long_table import TableFilter, choice_field, search_field
from runtime.database import cached_read
from runtime.intervals import IntervalEstimate, wilson
from runtime.words import interval, money, percent
from workers.models import Access, SkillEstimate, TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.score import Score, Scores, below
from workers.rules.trust import TrustRules
from workers.rules.trust_states import TrustState


class WorkerOnTask(NamedTuple):
    """A worker's task in a project."""

    worker: int
    project: int
    task: str


class CheckedAnswer(NamedTuple):
    """A verification question or a box that was judged."""

    at: datetime
    right: bool


Outcomes = dict[WorkerOnTask, list[CheckedAnswer]]


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """The figures of one worker on one task."""

    scores: Scores
    """The scores since the trust score began."""
    rules: TrustRules
    skill: SkillEstimate | None = None
    signals: list[WorkerSignal] = field(default_factory=list)
    """Open signals, including those of pairs that the worker belongs to."""
    judgments: int = 0
    """The number of judgments, with verification questions and without tests."""
    pay: Pay | None = None
    """None if the page shows several projects."""
    currency: str = ""


def worker_figures(rows: Sequence[TrustStatus]) -> list[WorkerFigures]:
    """Return the figures of each trust status, in a fixed number of statements; pay for one project only.

    The statuses may be unsaved: workers who are trusted by hand have figures, too.
    """
    projects, workers = {row.project_id for row in rows}, {row.worker_id for row in rows}
    outcomes = _outcomes(projects, workers, drawing=any(row.task == Task.BOX_DRAWING.value for row in rows))
    skills = SkillEstimate.objects.filter(project_id__in=projects, worker__in=workers)
    skill = {WorkerOnTask(estimate.worker_id, estimate.project_id, estimate.task): estimate for estimate in skills}
    signals, judgments = _signals(projects), _judgments(projects, workers)
    settings = _settings(projects)
    pay = hourly_pay(min(projects), workers) if len(projects) == 1 else None
    figures = []
    for row in rows:
        place, since = WorkerOnTask(row.worker_id, row.project_id, row.task), row.score_since
        judged = sorted(outcomes[place], key=attrgetter("at"))
        right = [answer.right for answer in judged if since is None or answer.at > since]
        figures.append(
            WorkerFigures(
                scores=Scores.of(right),
                rules=trust_rules(settings[row.project_id], Task(row.task)),
                skill=skill.get(place),
                signals=signals[place] + signals[place._replace(task="")],
                judgments=judgments.get(place, 0),
                pay=pay.get((row.worker_id, row.task), Pay()) if pay is not None else None,
                currency=settings[row.project_id].currency,
            )
        )
    return figures


def _settings(projects: Iterable[int]) -> dict[int, Settings]:
    newest = SettingsVersion.objects.filter(project=OuterRef("project")).order_by("-version").values("version")[:1]
    rows = SettingsVersion.objects.filter(project__in=projects, version=Subquery(newest))
    return {project: read_version(values) for project, values in rows.values_list("project", AS_TEXT)}


def _outcomes(projects: Iterable[int], workers: Iterable[int], *, drawing: bool) -> Outcomes:
    found: Outcomes = defaultdict(list)
    asked = {"known__project__in": projects, "known__purpose": KnownQuestion.Purpose.VERIFICATION}
    known = Judgment.objects.filter(worker__in=workers, **asked).order_by("id")
    places = ("worker", "known__project", "known__task", "created_at", "right")
    for worker, project, task, moment, right in known.values_list(*places):
        found[WorkerOnTask(worker, project, task)].append(CheckedAnswer(moment, bool(right)))
    boxes = Box.objects.filter(drawn_by__in=workers, image__project__in=projects, judged_at__isnull=False)
    drawn = boxes.values_list("drawn_by", "image__project", "judged_at", "state") if drawing else ()
    for author, project, judged, state in drawn:
        if author is not None and judged is not None:
            outcome = CheckedAnswer(judged, state == BoxState.ACCEPTED.value)
            found[WorkerOnTask(author, project, Task.BOX_DRAWING.value)].append(outcome)
    return found


def _signals(projects: Iterable[int]) -> dict[WorkerOnTask, list[WorkerSignal]]:
    found: dict[WorkerOnTask, list[WorkerSignal]] = defaultdict(list)
    for object_ in WorkerSignal.objects.filter(project_id__in=projects, gone_at=None, dismissed_at=None):
        for worker in object_.workers:
            found[WorkerOnTask(worker, object_.project_id, object_.task)].append(object_)
    return found


def _judgments(projects: Iterable[int], workers: Iterable[int]) -> dict[WorkerOnTask, int]:
    place = ("worker", "assignment__project", "assignment__task")
    work = {"assignment__project__in": projects, "assignment__kind": Assignment.Kind.WORK}
    rows = Judgment.objects.filter(worker__in=workers, **work).order_by().values_list(*place)
    return {WorkerOnTask(*where): count for *where, count in rows.annotate(Count("id"))}


LAST = 50
"""Changes of trust that the page shows at most."""


@dataclass(frozen=True, slots=True)
class WorkerTaskRow:
    """One task: how far the worker is trusted, and how well they do."""

    task: str
    state: str
    until: datetime | None
    by_hand: bool
    appealed: bool
    score: Score
    recent: Score
    minimum: float
    is_below: bool
    answers: int
    seconds: float | None
    """The mean time of an answer."""
    pay: str
    skill: str
    """The share of right answers as estimated from all answers, with its interval; empty if it was not estimated."""

    @property
    def estimate(self) -> IntervalEstimate:
        """The score with Wilson's 95 % interval."""
        return wilson(self.score.right, self.score.total)


@dataclass(frozen=True, slots=True)
class ShownTrustChange:
    """One change of trust in words."""

    at: datetime
    task: str
    words: str
    reason: str
    by: str


def trust_rows(project: Project, worker: Worker, tasks: list[str]) -> list[WorkerTaskRow]:
    """Return a row for each of these tasks."""
    saved = {row.task: row for row in TrustStatus.objects.filter(project=project, worker=worker)}
    state = TrustState.TRUSTED.value
    rows = [saved.get(task) or TrustStatus(worker=worker, project=project, task=task, state=state) for task in tasks]
    if not rows:
        return []
    own = Judgment.objects.filter(worker=worker, assignment__project=project).order_by()
    seconds = dict(own.values_list("assignment__task").annotate(Avg("seconds")))
    figures = worker_figures(rows)
    return [_row(row, of, seconds.get(row.task)) for row, of in zip(rows, figures, strict=True)]


def _row(row: TrustStatus, figures: WorkerFigures, seconds: float | None) -> WorkerTaskRow:
    score, skill = figures.scores.overall, figures.skill
    by_hour = figures.pay.by_hour if figures.pay else None
    return WorkerTaskRow(
        task=Task(row.task).label,
        state=row.state,
        until=row.suspended_until if row.state == TrustState.SUSPENDED else None,
        by_hand=row.pk is None,
        appealed=row.appealed,
        score=score,
        recent=figures.scores.recent,
        minimum=figures.rules.minimum,
        is_below=below(score, figures.rules.minimum, figures.rules.rule),
        answers=figures.judgments,
        seconds=seconds,
        pay=money(by_hour, figures.currency) if by_hour else "",
        skill=f"{percent(skill.accuracy)}, {interval(skill.low, skill.high)}" if skill and skill.answers else "",
    )


def story(project: Project, worker_id: int) -> list[ShownTrustChange]:
    """Return the last changes of the worker's trust, the newest first."""
    rows = TrustChange.objects.filter(project=project, worker=worker_id).order_by("-id")[:LAST]
    return [
        ShownTrustChange(row.created_at, Task(row.task).label, f"The worker {row.event}", row.reason, row.actor)
        for row in rows
    ]


def signals_of(project: Project, worker_id: int) -> list[Any]:
    """Return the open signals about the worker, each with the names of the others that it is about."""
    found = WorkerSignal.objects.filter(project=project, gone_at=None, dismissed_at=None)
    own: list[Any] = [signal for signal in found if worker_id in signal.workers]
    names = Worker.objects.in_bulk({number for signal in own for number in signal.workers})
    for signal in own:
        signal.others = [names[number] for number in signal.workers if number != worker_id and number in names]
    return own


NEEDS = {"appeal": "an appeal waits", "message": "a message waits", "signal": "a signal is open"}
"""Things about a worker that wait for a requester."""
QUICK = 0.1
"""Seconds: what takes longer for all workers together is read anew every few seconds only."""
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class WorkerRow:
    """One worker in the table."""

    worker: Worker
    seen: datetime | None
    """The time when the worker last took or ended an assignment."""
    pseudonym: str = ""
    answers: int = 0
    right: int = 0
    checked: int = 0
    """Answers to verification questions, without tests."""
    owed: int = 0
    trust: list[tuple[str, str, bool]] = field(default_factory=list)
    """Task in words, state, and whether the state follows from access alone."""

    @property
    def estimate(self) -> IntervalEstimate:
        """The share of right answers with its 95 % interval."""
        return wilson(self.right, self.checked)


class WorkerFilter(TableFilter):
    """The fields of the table's form."""

    name = search_field("Worker", "name or pseudonym")
    kind = choice_field("Kind", [(kind, kind) for kind in Worker.Kind.values])
    task = choice_field("Task")
    trust = choice_field("Trust", [(state.value, state.value) for state in TrustState])
    needs = choice_field("Needs", NEEDS.items())


def find_workers(project: Project, chosen: WorkerFilter, by: str, *, is_down: bool) -> list[WorkerRow]:
    """Return the workers that fit, sorted, without the figures that `add_figures` adds to a page of them."""
    name, kind, task, trust, needs = map(chosen.value, ("name", "kind", "task", "trust", "needs"))
    seen = cached_read(f"seen:{project.pk}", lambda: _seen(project), slow=QUICK)
    states = _states(project)
    wanted = {
        worker
        for worker in seen.keys() | states.keys()
        if (not task or task in states.get(worker, {})) and (not trust or _has(states.get(worker, {}), task, trust))
    }
    if needs:
        wanted &= _who_waits(project, needs)
    people = Worker.objects.filter(id__in=wanted) if len(wanted) < 500 else Worker.objects.all()
    if kind:
        people = people.filter(kind=kind)
    rows = [
        WorkerRow(person, seen.get(person.pk), pseudonym(project.pk, person.pk))
        for person in people.order_by("name").only("name", "kind", "created_at", "closed_at")
        if person.pk in wanted
    ]
    if name:
        text = name.lower()
        rows = [row for row in rows if text in row.worker.name.lower() or text == row.pseudonym]
    for row in rows:
        of_worker = states.get(row.worker.pk, {})
        row.trust = [(task.label, *of_worker[task.value]) for task in Task if task.value in of_worker]
    rows.sort(key=_sort_key(project, by), reverse=is_down)
    return rows


def _who_waits(project: Project, needs: str) -> set[int]:
    """Return the workers about whom something waits."""
    if needs == "signal":
        open_ones = WorkerSignal.objects.filter(project=project, gone_at=None, dismissed_at=None)
        return {number for workers in open_ones.values_list("workers", flat=True) for number in workers}
    rows: Any = TrustStatus.objects.filter(project=project, appealed=True)
    if needs == "message":
        rows = Conversation.objects.filter(project=project, waits_since__isnull=False)
    return set(rows.values_list("worker", flat=True))


def _seen(project: Project) -> dict[int, datetime]:
    """Return when each worker last took or ended an assignment."""
    took = Assignment.objects.filter(project=project).order_by().values_list("worker")
    return {worker: max(filter(None, times)) for worker, *times in took.annotate(Max("created_at"), Max("ended_at"))}


def add_figures(rows: Sequence[WorkerRow], project: Project) -> Sequence[WorkerRow]:
    """Set and return answers, scores and money of a page of workers, in a fixed number of statements."""
    ids = [row.worker.pk for row in rows]
    answers, scores = _answers(project, ids), _scores(project, ids)
    money = accounts(project.pk, ids)
    for row in rows:
        row.answers = answers.get(row.worker.pk, 0)
        row.right, row.checked = scores.get(row.worker.pk, (0, 0))
        row.owed = money.get(row.worker.pk, WorkerBalance()).owed
    return rows


def _sort_key(project: Project, by: str) -> Callable[[WorkerRow], Any]:
    """Return the key of a sort. Only what is sorted by is read for all workers."""
    if by == "seen":
        return lambda row: row.seen or NEVER
    if by == "answers":
        answers = cached_read(f"answers:{project.pk}", lambda: _answers(project, None), slow=QUICK)
        return lambda row: answers.get(row.worker.pk, 0)
    if by == "owed":
        money = cached_read(f"owed:{project.pk}", lambda: accounts(project.pk), slow=QUICK)
        return lambda row: money.get(row.worker.pk, WorkerBalance()).owed
    if by == "score":  # the worst first, as far as chance allows to tell
        scores = cached_read(f"scores:{project.pk}", lambda: _scores(project, None), slow=QUICK)
        return lambda row: wilson(*scores.get(row.worker.pk, (0, 0))).high
    return lambda row: row.worker.name


def _states(project: Project) -> dict[int, dict[str, tuple[str, bool]]]:
    """Return each worker's trust by task, and whether it follows from access alone."""
    found: dict[int, dict[str, tuple[str, bool]]] = defaultdict(dict)
    for worker, task in Access.objects.filter(project=project).values_list("worker", "task"):
        found[worker][task] = (TrustState.TRUSTED.value, True)
    for worker, task, state in TrustStatus.objects.filter(project=project).values_list("worker", "task", "state"):
        found[worker][task] = (state, False)
    return found


def _has(states: dict[str, tuple[str, bool]], task: str, state: str) -> bool:
    return any(task_state == state for name, (task_state, _) in states.items() if not task or name == task)


def _answers(project: Project, ids: list[int] | None) -> dict[int, int]:
    who = {} if ids is None else {"worker__in": ids}
    rows = Judgment.objects.filter(assignment__project=project, **who).order_by().values_list("worker")
    return dict(rows.annotate(Count("id")))


def _scores(project: Project, ids: list[int] | None) -> dict[int, tuple[int, int]]:
    who = {} if ids is None else {"worker__in": ids}
    purpose = KnownQuestion.Purpose.VERIFICATION
    rows = Judgment.objects.filter(known__project=project, known__purpose=purpose, **who).order_by()
    counted = rows.values_list("worker").annotate(was_right=Count("id", filter=Q(right=True)), total=Count("id"))
    return {worker: (right, total) for worker, right, total in counted}
