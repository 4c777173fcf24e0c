"""The page that creates a project."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from projects.access import makers_only, page_caller
from projects.lifecycle.operations import create_project
from projects.operation import Refused
from projects.operation_form import form_for

NewProjectForm = form_for(create_project)


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new_project(request: HttpRequest) -> HttpResponse:
    """Create a draft, and lead to the page that fills it. Its maker becomes its requester."""
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            project = create_project(None, form.given, page_caller(request))
            return redirect("projects:data", name=project.name)
        except Refused as refused:
            form.refuse(refused)
    status = 400 if form.is_bound else 200
    return render(request, "projects/lifecycle/new.html", {"form": form}, status=status)
