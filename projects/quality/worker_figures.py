"""Figures of workers on their tasks, for the requester's pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Count, OuterRef, Subquery

from annotation.models import Box
from annotation.rules.states import BoxState
from pipeline.models import Assignment, Judgment, KnownQuestion, SettingsVersion
from pipeline.money.hourly_pay import Pay, hourly_pay
from pipeline.project.settings_versions import AS_TEXT, read_version
from pipeline.protocol.tasks.task import Task
from pipeline.settings.quality_control import trust_rules
from pipeline.settings.settings import Settings
from workers.models import SkillEstimate, TrustStatus, WorkerSignal
from workers.rules.score import Scores
from workers.rules.trust import TrustRules


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
