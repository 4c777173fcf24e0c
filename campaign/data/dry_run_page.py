"""The buttons that make a dry run of a project, and delete one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.models import Project
from campaign.access import managers_only
from campaign.data.begin_dry_run import begin_dry_run
from campaign.lifecycle.delete_dry_run import NotDryError, delete_dry_run


@require_POST
@managers_only
def dry_run(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a scratch copy of some images, let simulated workers answer in it, and lead to the page of its progress."""
    if project.dry_run:
        messages.error(request, "This is a dry run already: make one of the project itself.")
        return redirect("campaign:data", name=project.name)
    if not project.images.filter(mentions__isnull=False).exists():
        messages.error(request, "No image has phrases yet: a dry run needs some.")
        return redirect("campaign:predict", name=project.name)
    user = request.user if request.user.is_authenticated else None
    return redirect("campaign:data", name=begin_dry_run(project, user).name)


@require_POST
@managers_only
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the dry run at once: nothing in it was made by people."""
    try:
        delete_dry_run(project)
    except NotDryError as error:
        messages.error(request, str(error))
        return redirect("gallery:project", name=project.name)
    messages.success(request, f"{project.title} was deleted.")
    return redirect("gallery:start")
