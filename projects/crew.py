"""The crew of a project: how many people it takes, in the same words on every page, and whether anybody can answer."""

from collections import Counter
from typing import NamedTuple

from django.db.models import Count

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.policies.workers_needed import ENOUGH_WORKERS, few_workers
from pipeline.project.settings_versions import current_settings
from pipeline.settings.settings import Settings
from platforms.models import Recruitment
from runtime.words import counted
from workers.models import Access, Worker

SHARED = "Questions about the same phrases go to different people, so nobody gets to the end alone."
OVER = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)


class ProjectCrew(NamedTuple):
    """The workers who have access to a project."""

    workers: Counter[str]
    """Their number by task."""
    needed: str
    """The number of people that the project takes, in words; empty: there are enough. A survey's own page says it."""
    is_missing: bool
    """The project is running, and no person can answer."""
    is_simulated: bool
    """Virtual workers answer, too."""


def crew_of(project: Project, settings: Settings | None = None) -> ProjectCrew:
    """Count the workers. `settings`: the present ones, if they were read already."""
    settings = settings or current_settings(project.pk)[1]
    rows = Access.objects.filter(project=project).order_by().values_list("task", "worker__kind")
    workers: Counter[str] = Counter()
    kinds = set()
    for task, kind, number in rows.annotate(Count("pk")):
        workers[task] += number
        kinds.add(kind)
    is_missing = project.state == ProjectState.RUNNING.value and kinds <= {Worker.Kind.PROGRAM.value}
    if is_missing:
        is_missing = not Recruitment.objects.filter(project=project, active=True).exists()
    is_enough = project.survey or project.state in OVER or settings.drawer_judges_coverage
    return ProjectCrew(workers, "" if is_enough else _needed(workers), is_missing, Worker.Kind.VIRTUAL.value in kinds)


def _needed(workers: Counter[str]) -> str:
    words = few_workers(workers) if workers else f"Nobody has access yet; {ENOUGH_WORKERS} workers are enough."
    return f"{words} {SHARED}" if words else ""


def only_others(questions: int) -> str:
    """Return why so many open questions wait although people work."""
    reason = "everybody with access has answered about the same phrases already"
    return f"Only other people can answer {counted(questions, 'question')}: {reason}. Invite more."
