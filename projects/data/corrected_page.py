"""The page of the corrected set: made of the data set as it was imported, in its own format, to download."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.may import may_read_folders
from annotation.models import Project
from annotation.storage import store
from exchange.problems import SourceError
from exchange.publish_export import record_state
from pipeline.project.settings_versions import current_settings
from projects.access import managers_only
from projects.data.corrected_work import CorrectedArchive
from projects.data.sources import uploaded_source
from projects.models import ImportRun, KnownUse
from runtime.models import JobRun
from workers.models import Worker

LOOK_AGAIN_SECONDS = 3


@managers_only("GET", "POST", surveys=False)
def corrected(request: HttpRequest, project: Project) -> HttpResponse:
    """Show whether the set can be made, is being made, or is there with what changed; a POST begins."""
    source = Worker.objects.filter(pk=current_settings(project.pk)[1].reference_set).first()
    folder, uploaded = _folder_of(request, project), _is_uploaded(project)
    if request.method == "POST":
        if source is None or not (folder or uploaded):
            messages.error(request, "The data set is not here: upload it again on the page Data.")
            return redirect("projects:corrected", name=project.name)
        archive = CorrectedArchive(project, record_state(project))
        archive.ask_for("" if uploaded else folder)
        return redirect(f"{reverse('projects:corrected', args=[project.name])}?state={archive.state}")
    archive = CorrectedArchive(project, request.GET.get("state") or record_state(project))
    told, run = archive.told(), archive.run()
    working = told is None and run is not None and run.state in (JobRun.State.WAITING, JobRun.State.RUNNING)
    context: dict[str, Any] = {
        "project": project,
        "source": source,
        "folder": folder,
        "uploaded": uploaded,
        "archive": archive,
    }
    context |= {"told": told, "working": working, "run": run}
    response = render(request, "projects/data/corrected.html", context)
    if working:
        address = f"{reverse('projects:corrected', args=[project.name])}?state={archive.state}"
        response["Refresh"] = f"{LOOK_AGAIN_SECONDS}; url={address}"
    response["Cache-Control"] = "no-store"
    return response


@managers_only("GET", surveys=False)
def download(request: HttpRequest, project: Project, state: str) -> HttpResponseBase:
    """Send the corrected set as a .zip file."""
    archive = CorrectedArchive(project, state)
    if not store().exists(archive.path):
        raise Http404("This corrected set is no longer kept: make it again.")
    filename = f"{project.name}-corrected.zip"
    return store().delivery(request, archive.path, content_type="application/zip", filename=filename, max_age=0)


def _is_uploaded(project: Project) -> bool:
    try:
        return bool(uploaded_source(project))
    except SourceError:
        return False


def _folder_of(request: HttpRequest, project: Project) -> str:
    """Return the folder or address from which the data set was imported to check, if the visitor may have it read."""
    runs = project.import_runs.filter(kind=ImportRun.Kind.IMPORT, use=KnownUse.CHECK).exclude(source="")
    newest = runs.order_by("-id").first()
    return newest.source if newest and may_read_folders(request.user) else ""
