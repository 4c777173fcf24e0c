"""The page of models: import what a program predicts, and see how good it is and what it saves."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from evaluation.reading.predictions.rows import BOX_FORM_LABELS, FORMS
from pipeline.known.prediction_score import LEAST_TRIED
from pipeline.project.settings_versions import current_settings
from projects.access import operation_page, page_caller
from projects.operation import Operation, Refused
from projects.operation_form import CheckedChoice, form_for
from projects.operation_page import do_by_page
from projects.predictions.judge_operations import let_judge, name_family, note_price
from projects.predictions.judges import judged_in, judges
from projects.predictions.measure.measurements import measurements
from projects.predictions.measure.operations import measure_program
from projects.predictions.operations import describe_predictions, send_predictions
from projects.predictions.sample import sample_of
from projects.predictions.scores import MOST_IMAGES, programs
from projects.runs import row_of

BOX_FORMS = [
    ("", "as usual: corners for .jsonl, corner and size for .json"),
    *((form, BOX_FORM_LABELS[form]) for form in FORMS),
]
JUDGE_ACTS: dict[str, Operation[Any, Any, Any]] = {"price": note_price, "family": name_family}
"""Operations by what a button of the page sends; the others let a program judge."""
PredictionsForm = form_for(
    send_predictions, boxes=CheckedChoice(label="Form of the boxes", required=False, choices=BOX_FORMS)
)


@operation_page(send_predictions, "GET", "POST")
def models(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the programs with their scores; POST imports a file of predictions."""
    version, settings = current_settings(project.pk)
    form = PredictionsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = send_predictions(project, form.given, page_caller(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            for sentence in describe_predictions(kept):
                messages.success(request, sentence)
            return redirect("projects:models", name=project.name)
    found = programs(project, settings)
    newest, measured = measurements(
        project, cast(User, request.user), [(program.id, program.name) for program in found], version
    )
    judged = judged_in(settings)
    context = {
        "project": project,
        "form": form,
        "programs": [(program, measured[program.id]) for program in found],
        "newest": row_of(newest) if newest else None,
        "is_open": newest is not None and newest.is_open,
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


@operation_page(let_judge, "POST")
def judge(request: HttpRequest, project: Project) -> HttpResponse:
    """Let a program judge, set it aside, note what its answers cost, or name its family."""
    do_by_page(JUDGE_ACTS.get(request.POST.get("action", ""), let_judge), request, project)
    return redirect("projects:models", name=project.name)


@operation_page(measure_program, "POST")
def measure(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin to measure a program."""
    do_by_page(measure_program, request, project)
    return redirect("projects:models", name=project.name)
