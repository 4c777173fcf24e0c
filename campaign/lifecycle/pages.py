"""The buttons that start, pause, finish and archive a project."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.models import Project
from annotation.rules.project_life import ProjectMoveError
from annotation.rules.states import ProjectState
from campaign.access import managers_only
from campaign.lifecycle.change_state import NotReadyError, change_state


@require_POST
@managers_only
def state(request: HttpRequest, project: Project) -> HttpResponse:
    """Move the project to the state that was sent."""
    wanted = request.POST.get("state", "")
    if wanted not in set(ProjectState):
        messages.error(request, f"There is no state {wanted[:40]!r}: choose one of {', '.join(ProjectState)}.")
    else:
        try:
            change_state(project.id, ProjectState(wanted), request.user if request.user.pk else None)
        except NotReadyError as error:
            messages.error(request, str(error))
            return redirect("campaign:items" if project.survey else "campaign:data", name=project.name)
        except ProjectMoveError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"The project is {wanted} now.")
    return redirect("gallery:project", name=project.name)
