"""The button that measures a program, its stop button, and how far the measurement is."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Project
from campaign.access import managers_only
from campaign.long_work import BusyError, begin, stop
from campaign.models import ModelMeasurement
from campaign.predictions.measure.jobs import measure_job
from campaign.predictions.measure.shown import measurable, settled
from pipeline.settings_versions import current_settings


@require_POST
@managers_only
def measure(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin to measure a program, or stop the measurement that is being made."""
    if request.POST.get("action") == "stop":
        newest = project.model_measurements.first()
        if newest is not None:
            stop(newest)
            newest.refresh_from_db()
            settled(newest)
        return redirect("campaign:models", name=project.name)
    program = measurable(project, request.POST.get("program", ""))
    if project.dry_run:
        messages.error(request, "This is a dry run already: measure programs in the project itself.")
    elif program is None:
        messages.error(request, "This program has predicted nothing in this project.")
    else:
        user, version = request.user if request.user.pk else None, current_settings(project.pk)[0]
        try:
            begin(ModelMeasurement, measure_job, project=project, user=user, program=program, settings_version=version)
        except BusyError as error:
            messages.error(request, str(error))
    return redirect("campaign:models", name=project.name)


@require_safe
@managers_only
def progress(request: HttpRequest, project: Project) -> JsonResponse:
    """Tell where the newest measurement stands."""
    newest = project.model_measurements.first()
    if newest is None:
        raise Http404("Nothing was measured yet.")
    reply = JsonResponse(settled(newest))
    reply["Cache-Control"] = "no-store"
    return reply
