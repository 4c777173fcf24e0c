"""Refresh the figures of projects: each group when it is due, so that computing never takes more than a small share."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from math import sqrt
from typing import Any, NamedTuple

from pipeline.models import Assignment
from projects.dashboard.figures.images import flow, images, links, paper
from projects.dashboard.figures.pace import money_spent, pace
from projects.dashboard.figures.pre_annotations import pre_annotations
from projects.dashboard.figures.workers import figures_of_workers, known_question_figures
from projects.models import Figures
from projects.quality.program_work import program_work
from runtime import clock

GROUPS: dict[str, Callable[[int], dict[str, Any]]] = {
    "pace": pace,
    "money": money_spent,
    "pre_annotations": pre_annotations,
    "links": links,
    "flow": flow,
    "stock": known_question_figures,
    "workers": figures_of_workers,
    "images": images,
    "paper": paper,
    "programs": program_work,
}
"""The function that computes each group, the quickest first."""
MIN_REFRESH_INTERVAL = timedelta(minutes=1)
SHARE = 20
"""All groups together take a twentieth of the time at most."""
IDLE = timedelta(hours=1)
"""Figures depend on the time as well, so that those of a project without new judgments are computed once an hour."""


class FigureGroup(NamedTuple):
    """One group of figures as of a time."""

    values: dict[str, Any]
    at: datetime


def read_figures(project_id: int) -> dict[str, FigureGroup]:
    """Return what is kept, by group. A group that was never computed is missing."""
    rows = Figures.objects.filter(project_id=project_id)
    return {row.name: FigureGroup(row.values, row.computed_at) for row in rows}


def refresh_figures(project_id: int, *, anew: bool = False) -> list[str]:
    """Compute the groups that are due, or all of them if `anew`. Returns their names."""
    kept = {row.name: row for row in Figures.objects.filter(project_id=project_id)}
    # The index of submitted assignments begins with their time, and is used only where a query names the time.
    submitted = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, ended_at__isnull=False)
    if kept:
        submitted = submitted.filter(ended_at__gte=min(row.computed_at for row in kept.values()))
    last = submitted.order_by("-ended_at").values_list("ended_at", flat=True).first()
    rest = _rests({row.name: row.seconds for row in kept.values()})
    done = []
    for name, compute in GROUPS.items():
        if anew or _is_due(kept.get(name), rest.get(name, MIN_REFRESH_INTERVAL), last, clock.now()):
            _compute(project_id, name, compute)
            done.append(name)
    return done


def _rests(seconds: Mapping[str, float]) -> dict[str, timedelta]:
    """Return how long each group rests, from the seconds that each took.

    Rests go by the roots of the seconds: of all that keep to the share, these keep the sum of the groups' ages least.
    """
    roots = {name: sqrt(took) for name, took in seconds.items()}
    total = sum(roots.values())
    return {name: max(MIN_REFRESH_INTERVAL, timedelta(seconds=SHARE * root * total)) for name, root in roots.items()}


def _is_due(row: Figures | None, rest: timedelta, last: datetime | None, now: datetime) -> bool:
    if row is None:
        return True
    age = now - row.computed_at
    if timedelta() <= age < rest:
        return False
    return age >= IDLE or age < timedelta() or (last is not None and last >= row.computed_at)


def _compute(project_id: int, name: str, compute: Callable[[int], dict[str, Any]]) -> None:
    # The time before it begins: a judgment that comes meanwhile makes the group due again.
    at, begun = clock.now(), time.monotonic()
    values = compute(project_id)
    written = {"computed_at": at, "seconds": time.monotonic() - begun, "values": values}
    Figures.objects.update_or_create(project_id=project_id, name=name, defaults=written)
