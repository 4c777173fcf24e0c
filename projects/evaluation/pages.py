"""The pages of evaluations: begin one, see how far it is, look at the report and take its files along."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Project
from annotation.storage import store
from evaluation.reading.predictions.read_file import KINDS as ENDINGS
from projects.access import managers_only
from projects.evaluation.archive import (
    KINDS,
    PICTURES,
    archive_path,
    forget,
    forget_leftovers,
    keep_given,
    picture_path,
    read_file,
)
from projects.evaluation.sides import Kind, named, sides_of
from projects.evaluation.steps import OFFERED, offered_step
from projects.evaluation.work import SCORE, SIDES, evaluate_job
from projects.long_work import BusyError, begin, standing, stop
from projects.models import Evaluation
from projects.predictions.pages import BOX_FORMS
from projects.predictions.sample import sample_of

SHOWN = 20
MOST_MEGABYTES = 50


class EvaluateForm(forms.Form):
    """The step, its files, and the images."""

    step = forms.ChoiceField(label="Report", choices=[(one.step, one.title) for one in OFFERED])
    predictions = forms.FileField(
        label="Predictions",
        required=False,
        help_text="Boxes: a phrase a line (.jsonl), or COCO results (.json). Sentences: an image a line (.jsonl).",
    )
    against = forms.FileField(
        label="Another model's predictions", required=False, help_text="For the difference between the two. Optional."
    )
    boxes = forms.ChoiceField(label="Form of the boxes", required=False, choices=BOX_FORMS)
    scored = forms.ChoiceField(label="Scored", required=False)
    right = forms.ChoiceField(label="Against", required=False)
    name = forms.CharField(label="Name of the model", required=False, max_length=80)
    unfinished = forms.BooleanField(label="Unfinished images too", required=False)

    def __init__(self, project: Project, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.project, sides = project, sides_of(project)
        for name, first in (("scored", Kind.OUTCOME), ("right", Kind.GOLD)):
            self.fields[name].choices = sides  # type: ignore[attr-defined]
            self.fields[name].initial = first.value

    def clean(self) -> dict[str, Any]:
        """Check that there is a file where the step needs one, and drop those that it does not read."""
        given = super().clean() or {}
        if given.get("step") and offered_step(given["step"]).compares:
            for name in ("scored", "right"):
                if not given.get(name) and name not in self.errors:
                    self.add_error(name, "Choose one.")
            if given.get("scored") and given.get("scored") == given.get("right"):
                self.add_error("right", "Choose another one than the one that is scored.")
        reads = offered_step(given["step"]).given if given.get("step") else ()
        for name in ("predictions", "against"):
            file = given.get(name)
            if name not in reads:
                given[name] = None
            elif not file and name == reads[0] and name not in self.errors:
                self.add_error(name, "Choose the file that is to be scored.")
            elif file and PurePath(file.name).suffix.lower() not in ENDINGS:
                self.add_error(name, f"The name of the file must end in one of {', '.join(ENDINGS)}.")
            elif file and file.size > MOST_MEGABYTES << 20:
                self.add_error(
                    name, f"The file has more than {MOST_MEGABYTES} MB: use the command evaluate on the server."
                )
        return given

    def options(self) -> dict[str, str]:
        """Return the options of the step that are not files."""
        given = self.cleaned_data
        if offered_step(given["step"]).compares:
            return {name: given[name] for name in SIDES}
        if given["step"] != SCORE:
            return {}
        form = ENDINGS[PurePath(given["predictions"].name).suffix.lower()]
        return {"form": form, **({"boxes": given["boxes"]} if given["boxes"] else {})}


@managers_only("GET", "POST", surveys=False)
def evaluate(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the reports; POST begins one or stops the one that is being made."""
    newest = project.evaluations.order_by("-id").first()
    if request.method != "POST":
        return _page(request, project, newest, EvaluateForm(project, initial={"step": OFFERED[0].step}))
    if request.POST.get("action") == "stop":
        if newest is not None:
            stop(newest)
        return redirect("projects:evaluate", name=project.name)
    form = EvaluateForm(project, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, project, newest, form, status=400)
    try:
        _begin(request, project, form)
    except BusyError as error:
        messages.error(request, str(error))
    return redirect("projects:evaluate", name=project.name)


def _begin(request: HttpRequest, project: Project, form: EvaluateForm) -> None:
    """Keep the files and request the work. Raises BusyError while another one has not ended."""
    if project.evaluations.filter(state__in=Evaluation.OPEN).exists():
        raise BusyError("Another one is being made already: wait for it, or stop it.")
    forget_leftovers()
    given = form.cleaned_data
    files = {name: given[name] for name in ("predictions", "against") if given[name]}
    main = files.get("predictions")
    begin(
        Evaluation,
        evaluate_job,
        project=project,
        user=request.user if request.user.pk else None,
        step=given["step"],
        unfinished=given["unfinished"],
        name=_name(project, form, main),
        given={name: keep_given(project, file, PurePath(file.name).suffix.lower()) for name, file in files.items()},
        options=form.options(),
    )


def _name(project: Project, form: EvaluateForm, main: Any) -> str:
    """Return the name under which the list shows the report: of the model, or of both sides."""
    if main:
        return str(form.cleaned_data["name"] or PurePath(main.name).stem)[:80]
    return named(project, form.options())


@managers_only("GET", surveys=False)
def progress(request: HttpRequest, project: Project) -> JsonResponse:
    """Tell where the newest report stands."""
    newest = project.evaluations.order_by("-id").first()
    if newest is None:
        raise Http404("Nothing was evaluated yet.")
    return JsonResponse(standing(newest) | {"doing": newest.doing}, headers={"Cache-Control": "no-store"})


@managers_only("GET", surveys=False)
def report(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponse:
    """Show a report."""
    found = _done(project, evaluation_id)
    context = {"project": project, "evaluation": found, "report": found.values, "offered": offered_step(found.step)}
    return render(request, "projects/evaluation/report.html", context)


@managers_only("GET", surveys=False)
def file(request: HttpRequest, project: Project, evaluation_id: int, file: str) -> HttpResponseBase:
    """Send a file of a report."""
    found = _done(project, evaluation_id)
    kind = KINDS.get(PurePath(file).suffix)
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
    name = f"{project.name}-{found.step.replace(' ', '-')}-{found.pk}.zip"
    return store().delivery(request, archive_path(found), content_type="application/zip", filename=name, max_age=0)


@managers_only("POST", surveys=False)
def delete(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponse:
    """Delete a report with its files."""
    found = get_object_or_404(Evaluation, project=project, pk=evaluation_id)
    if found.state in Evaluation.OPEN:
        messages.error(request, "This report is being made: stop it first.")
    else:
        forget(found)
        messages.success(request, "The report was deleted.")
    return redirect("projects:evaluate", name=project.name)


def _done(project: Project, evaluation_id: int) -> Evaluation:
    return get_object_or_404(Evaluation, project=project, pk=evaluation_id, state=Evaluation.State.DONE)


def _page(
    request: HttpRequest, project: Project, newest: Evaluation | None, form: EvaluateForm, status: int = 200
) -> HttpResponse:
    rows = list(project.evaluations.order_by("-id").defer("values")[:SHOWN])
    context = {
        "project": project,
        "form": form,
        "offered": OFFERED,
        "newest": newest,
        "standing": standing(newest) if newest else None,
        "is_open": newest is not None and newest.state in Evaluation.OPEN,
        "reports": [(row, offered_step(row.step).title) for row in rows],
        "sample": sample_of(project),
        "finished": project.images.filter(state="merged").count(),
        "images": project.images.count(),
    }
    return render(request, "projects/evaluation/evaluate.html", context, status=status)
