"""The page that tells how many labels of a checked data set are wrong, before the check and after it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Project
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from projects.access import reviewers_only
from projects.label_errors.wrong_labels import MIN_FINISHED_IMAGES, wrong_labels


@reviewers_only("GET", surveys=False)
def wrong_labels_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the shares by type."""
    checks = engine_of(current_settings(project.pk)[1]).source.program
    context = {
        "project": project,
        "checks": checks,
        "enough": MIN_FINISHED_IMAGES,
        "found": wrong_labels(project) if checks else None,
    }
    return render(request, "projects/label_errors/wrong_labels.html", context, status=200 if checks else 404)
