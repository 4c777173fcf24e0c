"""The page of the corrected set: made of the data set as it was imported, in its own format, to download."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.may import may_read_folders
from annotation.models import Project
from annotation.storage import store
from exchange.problems import SourceError
from exchange.publish_export import record_state
from pipeline.project.settings_versions import current_settings
from projects.access import managers_only, operation_page
from projects.data.corrected_operations import corrected_path, make_corrected_set
from projects.data.operations import begin_import
from projects.data.sources import uploaded_source
from projects.models import KnownUse
from projects.operation import LARGEST_ID
from projects.operation_form import form_for
from projects.operation_page import done_or_refused
from projects.runs import row_of
from workers.models import Worker

CorrectedForm = form_for(make_corrected_set, without={"source", "format"})


@operation_page(make_corrected_set, "GET", "POST")
def corrected(request: HttpRequest, project: Project) -> HttpResponse:
    """Show whether the set can be made, is being made, or is there with what changed; a POST begins."""
    folder, uploaded = _folder_of(request, project), _is_uploaded(project)
    sent = request.POST if request.method == "POST" else None
    form = CorrectedForm(sent, place={"source": "" if uploaded else folder})
    if request.method == "POST":
        if not (folder or uploaded):
            messages.error(request, "The data set is not here: upload it again on the page Data.")
        elif done_or_refused(form, request, project) is None:
            messages.error(request, form.sentence)
        return redirect("projects:corrected", name=project.name)
    run = project.runs.filter(operation=make_corrected_set.name).first()
    if run is not None and not run.is_open and run.input["record"] != record_state(project):
        run = None  # the record has changed since
    context = {
        "project": project,
        "source": Worker.objects.filter(pk=current_settings(project.pk)[1].reference_set).first(),
        "form": form,
        "folder": folder,
        "uploaded": uploaded,
        "run": row_of(run) if run else None,
        "is_kept": run is not None and store().exists(corrected_path(run)),
    }
    return render(request, "projects/data/corrected.html", context)


@managers_only("GET", surveys=False)
def download(request: HttpRequest, project: Project, run_id: int) -> HttpResponseBase:
    """Send the corrected set as a .zip file."""
    run = get_object_or_404(project.runs, operation=make_corrected_set.name, pk=min(run_id, LARGEST_ID))
    if not store().exists(corrected_path(run)):
        raise Http404("This corrected set is no longer kept: make it again.")
    filename = f"{project.name}-corrected.zip"
    return store().delivery(request, corrected_path(run), content_type="application/zip", filename=filename, max_age=0)


def _is_uploaded(project: Project) -> bool:
    try:
        return bool(uploaded_source(project))
    except SourceError:
        return False


def _folder_of(request: HttpRequest, project: Project) -> str:
    """Return the folder or address from which the data set was imported to check, if the visitor may have it read."""
    runs = project.runs.filter(operation=begin_import.name, input__use=KnownUse.CHECK.value)
    newest = runs.exclude(input__source="").first()
    return str(newest.input["source"]) if newest and may_read_folders(request.user) else ""
