"""Move a project from a state to another, and note who did it."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from annotation.rules.states import ProjectMoveError, ProjectState, check_move
from campaign.lifecycle.missing import missing_before_start
from campaign.models import StateChange
from pipeline.jobs import hint
from pipeline.project.tasks import tasks_of


class NotReadyError(ProjectMoveError):
    """The draft lacks something without which it cannot be started."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(" ".join(["The project cannot be started yet.", *missing]))
        self.missing = missing


@transaction.atomic
def change_state(project_id: int, wanted: ProjectState, user: User | None) -> ProjectState:
    """Move the project, and return the state that it was in. A project that is there already stays as it is.

    Leases that run go on; `pipeline.asking` gives no new ones unless the project is running. Raises ProjectMoveError,
    and NotReadyError for a draft that lacks something.
    """
    project = Project.objects.select_for_update().get(id=project_id)
    before = ProjectState(project.state)
    if before is not wanted:
        check_move(before, wanted)
        if before is ProjectState.DRAFT and (missing := missing_before_start(project)):
            raise NotReadyError(missing)
        project.state = wanted.value
        project.save(update_fields=["state"])
        StateChange.objects.create(project=project, before=before.value, after=wanted.value, user=user)
        if before is ProjectState.DRAFT:
            hint(tasks_of(project)[0], project.id)  # its images begin now, not with the next sweep
    return before
