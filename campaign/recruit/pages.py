"""The page of recruiting: each platform with its offers, sessions and money; and a read of a platform on request."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.access import managers_only
from campaign.recruit.places import address, recruitment_here
from campaign.recruit.status_shown import place_of, why_off
from platforms.jobs import sync_job
from platforms.models import Recruitment
from platforms.registry import PLATFORMS
from upkeep.redis_faults import start

READ_LATER = (
    "The queue of jobs (Redis) cannot be reached. The platform is read in the next round, a few minutes after "
    "the queue is back."
)


@require_safe
@managers_only
def recruit(request: HttpRequest, project: Project) -> HttpResponse:
    """Show where the project's work is offered, and how it goes there."""
    begun = {row.platform: row for row in Recruitment.objects.filter(project=project)}
    names = sorted(PLATFORMS.keys() | begun.keys(), key=lambda name: (name not in begun, name))
    context = {
        "project": project,
        "places": [place_of(project, name, begun.get(name)) for name in names],
        "draft": project.state == ProjectState.DRAFT.value,
    }
    return render(request, "campaign/recruit/recruit.html", context)


@require_POST
@managers_only
def read(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Start a job that reads the platform."""
    row = recruitment_here(project, platform)
    if off := why_off(platform):
        messages.error(request, off)
    elif start(sync_job, row.platform, row.project_id):
        messages.success(request, "The platform is being read. Reload this page to see what was found.")
    else:
        messages.warning(request, READ_LATER)
    return redirect(address(project, platform))
