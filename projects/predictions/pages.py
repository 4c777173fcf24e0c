"""The page of models: import what a program predicts, and see how good it is and what it saves."""

from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.rules.plain_errors import WrongValuesError
from evaluation.reading.predictions.box_forms import FORMS, WORDS
from pipeline.known.prediction_score import LEAST_TRIED
from pipeline.project.settings_versions import current_settings
from pipeline.settings.ranges import MOST_CENTS
from projects.access import managers_only, operation_page, page_caller
from projects.operation import Refused
from projects.operation_form import CheckedChoice, form_for
from projects.operation_page import do_by_page
from projects.predictions.family import set_family
from projects.predictions.judges import NoEvidenceError, judged_in, judges, set_aside, set_price, set_to_work
from projects.predictions.measure.measurements import measurements, settled
from projects.predictions.measure.operations import MEASURE_PROGRAM, STOP_MEASUREMENT, StopMeasurement
from projects.predictions.operations import SEND_PREDICTIONS, in_words
from projects.predictions.sample import sample_of
from projects.predictions.scores import MOST_IMAGES, programs
from workers.models import Worker

BOX_FORMS = [
    ("", "as usual: corners for .jsonl, corner and size for .json"),
    *((form, WORDS[form]) for form in FORMS),
]
PRICE = forms.DecimalField(min_value=0, max_value=MOST_CENTS // 100, decimal_places=2, required=False)
"""The cost of 1,000 answers of a program, in the project's currency."""
PredictionsForm = form_for(
    SEND_PREDICTIONS, boxes=CheckedChoice(label="Form of the boxes", required=False, choices=BOX_FORMS)
)


@operation_page(SEND_PREDICTIONS, "GET", "POST")
def models(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the programs with their scores; POST imports a file of predictions."""
    version, settings = current_settings(project.pk)
    form = PredictionsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = SEND_PREDICTIONS.run(project, form.given, page_caller(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            for sentence in in_words(kept):
                messages.success(request, sentence)
            return redirect("projects:models", name=project.name)
    found = programs(project, settings)
    newest, measured = measurements(project, cast(User, request.user), [(one.id, one.name) for one in found], version)
    judged = judged_in(settings)
    context = {
        "project": project,
        "form": form,
        "programs": [(one, measured[one.id]) for one in found],
        "newest": newest,
        "standing": settled(newest) if newest else None,
        "is_open": newest is not None and newest.state in newest.OPEN,
        "on": settings.pre_annotations,
        "judges": judges(project, settings) if judged else [],
        "judged": judged,
        "currency": settings.currency,
        "tasks": ("Boxes", "Links"),
        "least_tried": LEAST_TRIED,
        "most_images": MOST_IMAGES,
        "sample": sample_of(project),
    }
    return render(request, "projects/models.html", context, status=400 if form.errors else 200)


@managers_only("POST")
def judge(request: HttpRequest, project: Project) -> HttpResponse:
    """Let a program judge, set it aside, note what its answers cost, or name its family."""
    if request.POST.get("action") == "price":
        return _price(request, project)
    if request.POST.get("action") == "family":
        return _family(request, project)
    act = set_aside if request.POST.get("action") == "aside" else set_to_work
    try:
        act(project, int(request.POST.get("program", "")), request.user.get_username())
    except (ValueError, Worker.DoesNotExist):
        messages.error(request, "No such program has a key for this project: choose one of those below.")
    except NoEvidenceError:
        messages.error(request, "Programs judge adaptive links and boxes under belief: change the settings first.")
    return redirect("projects:models", name=project.name)


def _price(request: HttpRequest, project: Project) -> HttpResponse:
    try:
        price = PRICE.clean(request.POST.get("price", ""))
        cents = None if price is None else int(price * 100)
        set_price(project, int(request.POST.get("program", "")), cents, request.user.get_username())
    except forms.ValidationError:
        messages.error(request, "Write the cost of 1,000 answers as an amount from 0 to 1,000, such as 0.40.")
    except (ValueError, Worker.DoesNotExist):
        messages.error(request, "There is no such program.")
    return redirect("projects:models", name=project.name)


def _family(request: HttpRequest, project: Project) -> HttpResponse:
    try:
        name, program = request.POST.get("family", "").strip(), int(request.POST.get("program", ""))
        set_family(project, program, name, request.user.get_username())
    except WrongValuesError:
        messages.error(request, "Write a name of up to 40 characters for the family, or nothing.")
    except (ValueError, Worker.DoesNotExist):
        messages.error(request, "There is no such program.")
    return redirect("projects:models", name=project.name)


@operation_page(MEASURE_PROGRAM, "POST")
def measure(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin to measure a program, or stop the measurement that is being made."""
    if request.POST.get("action") == "stop":
        newest = project.model_measurements.first()
        if newest is not None:
            asked = StopMeasurement(measurement=newest.pk, wish="stop")
            STOP_MEASUREMENT.run(project, asked, page_caller(request))
    else:
        do_by_page(MEASURE_PROGRAM, request, project)
    return redirect("projects:models", name=project.name)


@managers_only("GET")
def progress(request: HttpRequest, project: Project) -> JsonResponse:
    """Tell where the newest measurement stands."""
    newest = project.model_measurements.first()
    if newest is None:
        raise Http404("Nothing was measured yet.")
    return JsonResponse(settled(newest), headers={"Cache-Control": "no-store"})
