"""The page of models: import what a program predicts, and see how good it is and what it saves."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from campaign.access import managers_only
from campaign.predictions.forms import PredictionsForm
from campaign.predictions.import_predictions import PredictionError, import_predictions
from campaign.predictions.jobs import enter_soon
from campaign.predictions.measure.measurements import measurements, settled
from campaign.predictions.sample import sample_of
from campaign.predictions.scores import MOST_IMAGES, programs
from campaign.predictions.words import in_words
from pipeline.project.settings_versions import current_settings
from pipeline.rules.known.prediction_score import LEAST_TRIED


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def models(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the programs with their scores; POST imports a file of predictions."""
    version, settings = current_settings(project.pk)
    form = PredictionsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        given, by = form.cleaned_data, request.user.get_username()
        try:
            name, data = given["file"].name, given["file"].read()
            kept = import_predictions(project, given["program"], name, data, form=given["boxes"], by=by)
        except PredictionError as error:
            form.add_error("file", str(error))
        else:
            enter_soon(project.pk)
            for sentence in in_words(kept):
                messages.success(request, sentence)
            return redirect("campaign:models", name=project.name)
    found = programs(project, settings)
    newest, measured = measurements(project, cast(User, request.user), [(one.id, one.name) for one in found], version)
    context = {
        "project": project,
        "form": form,
        "programs": [(one, measured[one.id]) for one in found],
        "newest": newest,
        "standing": settled(newest) if newest else None,
        "is_open": newest is not None and newest.state in newest.OPEN,
        "on": settings.proposals,
        "tasks": ("Boxes", "Links"),
        "least_tried": LEAST_TRIED,
        "most_images": MOST_IMAGES,
        "sample": sample_of(project),
    }
    return render(request, "campaign/models.html", context, status=400 if form.errors else 200)
