"""The page of what a project learned from its own answers: a version for each refit."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.models import Project
from campaign.access import managers_only
from campaign.settings_form.history import learned


@require_safe
@managers_only
def learned_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show every version, newest first."""
    past = learned(project)
    shown = {"project": project, "past": past, "is_in_use": any(one.in_use for one in past)}
    return render(request, "campaign/settings/learned.html", shown)
