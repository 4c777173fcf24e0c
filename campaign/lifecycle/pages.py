"""The buttons that start, pause, finish and archive a project."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.rules.project_life import ProjectMoveError
from annotation.rules.states import ImageState, ProjectState
from campaign.access import managers_only
from campaign.lifecycle.change_state import NotReadyError, change_state
from pipeline.rules.tasks.task import QuestionState

AT_WORK = {ProjectState.RUNNING.value, ProjectState.PAUSED.value}


@managers_only("POST")
def state(request: HttpRequest, project: Project) -> HttpResponse:
    """Move the project to the state that was sent. Before one with open work is finished, a page asks."""
    wanted = request.POST.get("state", "")
    if wanted == ProjectState.FINISHED and project.state in AT_WORK and "sure" not in request.POST:
        total, still_open = _work(project)
        if still_open:
            what = "questions" if project.survey else "images"
            context = {"project": project, "open": still_open, "total": total, "what": what}
            return render(request, "campaign/lifecycle/finish.html", context)
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


def _work(project: Project) -> tuple[int, int]:
    """Return the number of the project's images, and of those that are unfinished; of a survey its questions."""
    rows: QuerySet[Any] = project.questions.all() if project.survey else project.images.all()
    done = QuestionState.CLOSED.value if project.survey else ImageState.MERGED.value
    counted = rows.order_by().aggregate(total=Count("pk"), open=Count("pk", filter=~Q(state=done)))
    return counted["total"], counted["open"]
