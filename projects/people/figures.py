"""Figures of workers: everybody who may answer or has answered in a project, filtered and sorted."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Max, Q

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from labelling.models import Conversation
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.money.ledger import WorkerBalance, accounts
from pipeline.protocol.tasks.task import Task
from projects.long_table import TableFilter, choice_field, search_field
from runtime.database import cached_read
from runtime.intervals import IntervalEstimate, wilson
from workers.models import Access, TrustStatus, Worker, WorkerSignal
from workers.rules.trust_states import TrustState

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
        row.trust = _in_words(states.get(row.worker.pk, {}))
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


def _in_words(states: dict[str, tuple[str, bool]]) -> list[tuple[str, str, bool]]:
    return [(task.label, *states[task.value]) for task in Task if task.value in states]


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
