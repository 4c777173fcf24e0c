"""The page that takes what is requested of long work: a script sends the same by the API."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.models import Project
from projects.access import operation_page
from projects.operation_page import do_by_page
from projects.run_operations import steer_run
from projects.runs import work_of


@operation_page(steer_run, "POST")
def steer(request: HttpRequest, project: Project, run: int) -> HttpResponse:
    """Pause, resume or cancel a run, and lead back to its page."""
    do_by_page(steer_run, request, project, run=run)
    row = project.runs.filter(pk=run).first()
    return redirect(work_of(row).page if row else "projects:data", name=project.name)
