"""The workers who use up a project's verification questions: those active lately, and what they have seen."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from pipeline.models import Assignment, Judgment
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose
from workers.change_trust import from_row
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust_states import Trust, TrustState

ACTIVE = timedelta(days=30)
"""A worker is active who was given access to the task, or an assignment of it, in this time."""
AT_WORK = frozenset({TrustState.INVITED, TrustState.TESTING, TrustState.PROBATION, TrustState.TRUSTED})


class Standing(NamedTuple):
    """An active worker's standing on a task."""

    worker: Worker
    trust: Trust
    seen: set[int]
    """Ids of verification questions."""
    answered: int
    """Verification questions answered since probation began."""


def read_standings(project_id: int, tasks: Sequence[Task], now: datetime) -> dict[Task, list[Standing]]:
    """Return the active workers of each task by id, without virtual ones, in four statements."""
    rows = list(TrustStatus.objects.filter(project_id=project_id, task__in=tasks))
    statuses = {(row.worker_id, row.task): row for row in rows}
    answered = _answered(project_id, tasks, rows)
    active = _active(project_id, tasks, now)
    # Not joined to the access: a worker is there once, and not for each task.
    workers = Worker.objects.exclude(kind=Worker.Kind.VIRTUAL).in_bulk({worker for worker, _ in active})
    found: dict[Task, list[Standing]] = {task: [] for task in tasks}
    for worker, name in active:
        row = statuses.get((worker, name))
        trust = from_row(row)
        if worker in workers and trust.state in AT_WORK:
            seen = set(row.seen) if row else set()
            found[Task(name)].append(Standing(workers[worker], trust, seen, answered[worker, name]))
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
