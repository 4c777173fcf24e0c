"""A worker's standing in a project: trust and scores by task, its story in words, and open signals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Avg

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.protocol.tasks.task import Task
from projects.quality.worker_figures import WorkerFigures, worker_figures
from runtime.intervals import IntervalEstimate, wilson
from runtime.words import interval, money, percent
from workers.models import TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.score import Score, below
from workers.rules.trust_states import TrustState

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
