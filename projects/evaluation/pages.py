"""The pages of evaluations: begin one, see how far it is, look at the report and take its files along."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Project
from annotation.storage import store
from projects.access import managers_only, operation_page, page_caller
from projects.evaluation.operations import OFFERED, begin_evaluation, offered_step
from projects.evaluation.overlay_page import EVALUATION, reports_of
from projects.evaluation.sides import (
    CONTENT_TYPES,
    PICTURES,
    SideKind,
    archive_path,
    delete_evaluation,
    picture_path,
    read_file,
    sides_of,
)
from projects.models import Run
from projects.operation import Refused
from projects.operation_page import CheckedChoice, OperationForm, form_for
from projects.predictions.pages import BOX_FORMS, sample_of
from projects.runs import row_of

RUNS_SHOWN = 20


class EvaluateForm(form_for(begin_evaluation)):  # type: ignore[misc]  # a class that is made of the operation
    """The step, its files, and the images."""

    step = forms.ChoiceField(label="Report", choices=[(offered.step, offered.title) for offered in OFFERED])
    boxes = CheckedChoice(label="Form of the boxes", required=False, choices=BOX_FORMS)
    scored = CheckedChoice(label="Scored", required=False)
    right = CheckedChoice(label="Against", required=False)

    def __init__(self, project: Project, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        sides = sides_of(project)
        for name, first in (("scored", SideKind.OUTCOME), ("right", SideKind.GOLD)):
            self.fields[name].choices = sides
            self.fields[name].initial = first.value


@operation_page(begin_evaluation, "GET", "POST")
def evaluate(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the reports; POST begins one."""
    if request.method != "POST":
        return _page(request, project, EvaluateForm(project, initial={"step": OFFERED[0].step}))
    form = EvaluateForm(project, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, project, form, status=400)
    try:
        begin_evaluation(project, form.given, page_caller(request))
    except Refused as refused:
        if refused.field:
            form.refuse(refused)
            return _page(request, project, form, status=400)
        messages.error(request, str(refused))
    return redirect("projects:evaluate", name=project.name)


@managers_only("GET", surveys=False)
def show_report(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponse:
    """Show a report."""
    found = _done(project, evaluation_id)
    context = {
        "project": project,
        "evaluation": found,
        "report": found.result,
        "offered": offered_step(found.input["step"]),
    }
    return render(request, "projects/evaluation/report.html", context)


@managers_only("GET", surveys=False)
def file(request: HttpRequest, project: Project, evaluation_id: int, file: str) -> HttpResponseBase:
    """Send a file of a report."""
    found = _done(project, evaluation_id)
    kind = CONTENT_TYPES.get(PurePath(file).suffix)
    kept = picture_path(found, file)
    if kind and PurePath(file).suffix in PICTURES and store().keeps(kept):
        return store().delivery(request, kept, content_type=kind)
    content = read_file(found, file)
    if content is None or kind is None:
        raise Http404(f"The report has no file {file[:80]!r}.")
    reply = HttpResponse(content, content_type=kind)
    reply["Cache-Control"] = "private, max-age=3600"
    if not kind.startswith("image/"):
        reply["Content-Disposition"] = f'attachment; filename="{project.name}-{found.pk}-{PurePath(file).name}"'
    return reply


@managers_only("GET", surveys=False)
def archive(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponseBase:
    """Send all files of a report as one archive."""
    found = _done(project, evaluation_id)
    name = f"{project.name}-{found.input['step'].replace(' ', '-')}-{found.pk}.zip"
    return store().delivery(request, archive_path(found), content_type="application/zip", filename=name, max_age=0)


@managers_only("POST", surveys=False)
def delete_report(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponse:
    """Delete a report with its files."""
    found = get_object_or_404(project.runs, operation=EVALUATION, pk=evaluation_id)
    if found.is_open:
        messages.error(request, "This report is being made: stop it first.")
    else:
        delete_evaluation(found)
        messages.success(request, "The report was deleted.")
    return redirect("projects:evaluate", name=project.name)


def _done(project: Project, evaluation_id: int) -> Run:
    return get_object_or_404(reports_of(project), pk=evaluation_id)


def _page(request: HttpRequest, project: Project, form: OperationForm, status: int = 200) -> HttpResponse:
    runs = list(project.runs.filter(operation=EVALUATION)[:RUNS_SHOWN])
    newest = runs[0] if runs else None
    context = {
        "project": project,
        "form": form,
        "offered": OFFERED,
        "newest": row_of(newest) if newest else None,
        "is_open": newest is not None and newest.is_open,
        "reports": [(run, offered_step(run.input["step"]).title) for run in runs],
        "sample": sample_of(project),
        "finished": project.images.filter(state="merged").count(),
        "images": project.images.count(),
    }
    return render(request, "projects/evaluation/evaluate.html", context, status=status)
