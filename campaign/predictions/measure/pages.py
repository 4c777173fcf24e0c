"""The button that measures a program, its stop button, and how far the measurement is."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Project
from campaign.access import managers_only
from campaign.long_work import BusyError, stop
from campaign.predictions.measure.begin_measurement import NotMeasurableError, begin_measurement
from campaign.predictions.measure.measurements import measurable, settled


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
    try:
        begin_measurement(project, program, cast(User, request.user))
    except (NotMeasurableError, BusyError) as error:
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
