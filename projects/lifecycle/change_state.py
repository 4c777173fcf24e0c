"""Moves of a project from state to state."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction

from annotation.archived import describe_archived
from annotation.models import Project
from annotation.rules.states import ProjectMoveError, ProjectState, check_move
from pipeline.jobs import enqueue_questions
from pipeline.project.queries import tasks_of
from projects.lifecycle.new_workers import missing_known_questions
from projects.models import StateChange, Upload

Check = Callable[[Project], list[str]]


class DraftIncompleteError(ProjectMoveError):
    """The draft lacks something without which it cannot be started."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(" ".join(["The project cannot be started yet.", *missing]))
        self.missing = missing


@transaction.atomic
def change_state(project_id: int, target: ProjectState, user: User | None) -> ProjectState:
    """Move the project, and return the state that it was in. A project that is there already stays as it is.

    Leases that run go on; `pipeline.asking` gives no new ones unless the project is running. Raises ProjectMoveError,
    and NotReadyError for a draft that lacks something.
    """
    project = Project.objects.select_for_update().get(id=project_id)
    before = ProjectState(project.state)
    if before is not target:
        if project.away is not None:
            raise ProjectMoveError(describe_archived(project))
        check_move(before, target)
        if before is ProjectState.DRAFT and (missing := missing_before_start(project)):
            raise DraftIncompleteError(missing)
        project.state = target.value
        project.save(update_fields=["state"])
        StateChange.objects.create(project=project, before=before.value, after=target.value, user=user)
        if before is ProjectState.DRAFT:
            enqueue_questions(tasks_of(project)[0], project.id)  # its images begin now, not with the next tick
    return before


def missing_data(project: Project) -> list[str]:
    """Return a sentence if the draft has nothing that workers could be asked about."""
    if project.survey:
        return _missing_items(project)
    if running := _running(project):
        return running
    if not project.images.exists():
        if Upload.objects.filter(project=project, files__gt=0).exists():
            return ["Its uploaded files are not imported yet: import them on its page “Data”."]
        return ["It has no images: import some on its page “Data”."]
    if not project.images.filter(mentions__isnull=False).exists():
        return ["No image has phrases: mark them in the captions as [a man], or have them found on the page “Phrases”."]
    return []


def _missing_items(project: Project) -> list[str]:
    if running := _running(project):
        return running
    if not project.questions.exists():
        return ["It asks nothing yet: import items on its page “Items”."]
    return []


def _running(project: Project) -> list[str]:
    if project.runs.filter(lane="images", state__in=["waiting", "running"]).exists():
        return ["An import is running: wait for its end, pause it or cancel it."]
    return []


CHECKS: list[Check] = [missing_data, missing_known_questions]


def missing_before_start(project: Project) -> list[str]:
    """Return what is missing before the draft can be started, in sentences; empty: nothing is."""
    return [reason for check in CHECKS for reason in check(project)]
