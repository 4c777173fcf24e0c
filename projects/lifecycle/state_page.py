"""The buttons that start, pause, finish and archive a project."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from projects.access import operation_page
from projects.lifecycle.operations import move_project, open_work
from projects.operation_form import form_for
from projects.operation_page import do_by_page

MoveForm = form_for(move_project)


@operation_page(move_project, "POST")
def state(request: HttpRequest, project: Project) -> HttpResponse:
    """Move the project to the state that was sent. Before one with open work is finished, a page asks."""
    form = MoveForm(request.POST)
    if not form.is_valid():
        messages.error(request, form.sentence)
        return redirect("gallery:project", name=project.name)
    if "sure" not in request.POST and (open_now := open_work(project, form.given)):
        return render(request, "projects/lifecycle/finish.html", {"project": project, "open": open_now})
    if do_by_page(move_project, request, project) == "not_ready":
        return redirect("projects:items" if project.survey else "projects:data", name=project.name)
    return redirect("gallery:project", name=project.name)
