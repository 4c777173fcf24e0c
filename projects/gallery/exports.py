"""Exports to download: packed once for each state of a project's record."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.may import may
from annotation.models import Project
from annotation.storage import store
from exchange.jobs import ask_for
from exchange.models import Selection
from exchange.publish_export import PublishedExport, record_state
from exchange.registry import export_formats
from projects.gallery.access import archived_page, needed_for, note_export, readers_only, refusal
from runtime.models import JobRun

LOOK_AGAIN_SECONDS = 3


@require_safe
@readers_only
def send_export(request: HttpRequest, name: str, export_format: str, state: str = "") -> HttpResponseBase:
    """Send the finished images, or a selection, as a .zip file; while it is being made, show a page that waits for it.

    The page waits for the `state` of its first request. If workers are busy, the newest state would never be ready.
    """
    project = get_object_or_404(Project, name=name)
    if project.away is not None:
        return archived_page(request, project, status=404)
    if export_format not in export_formats():
        raise Http404(f"There is no format {export_format!r}: choose one of {', '.join(export_formats())}.")
    if not may(request.user, needed_for(export_format), project):
        raise refusal(name, needed_for(export_format), "download this export, which holds each worker's answers")
    digest = request.GET.get("selection", "")
    selection = get_object_or_404(Selection, project=project, digest=digest) if digest else None
    archive = PublishedExport(project, export_format, state or record_state(project), selection)
    if not archive.is_there():
        run = archive.run()
        if state and (run is None or run.state == JobRun.State.DONE):
            return redirect(archive_address(archive, anew=True))
        if state and run is not None and run.state == JobRun.State.FAILED:
            return _page(request, archive, run, status=409)
        run = ask_for(archive)
        if not archive.is_there():
            return _waiting(request, archive, run)
    return deliver(request, archive)


def deliver(request: HttpRequest, archive: PublishedExport) -> HttpResponseBase:
    """Send the archive, which is there, as a .zip file."""
    note_export(archive.project, archive.export_format)
    filename = f"{archive.title}.zip"
    return store().delivery(request, archive.path, content_type="application/zip", filename=filename, max_age=0)


def _waiting(request: HttpRequest, archive: PublishedExport, run: JobRun) -> HttpResponse:
    """Return a page that looks again. Its status is 202 only if a job runner has the work, or a message for it."""
    taken = run.state != JobRun.State.WAITING or run.sent_at is not None
    response = _page(request, archive, run, status=202 if taken else 503)
    response["Refresh"] = f"{LOOK_AGAIN_SECONDS}; url={archive_address(archive)}"
    return response


def archive_address(archive: PublishedExport, *, anew: bool = False) -> str:
    """Return the address of the page that waits for the archive; `anew`: of one for the record's present state."""
    parts = [archive.project.name, archive.export_format] + ([] if anew else [archive.state])
    chosen = f"?selection={archive.selection.digest}" if archive.selection else ""
    return reverse("gallery:export", args=parts) + chosen


def _page(request: HttpRequest, archive: PublishedExport, run: JobRun, *, status: int) -> HttpResponse:
    context = {"archive": archive, "project": archive.project, "run": run, "waits": status == 503}
    context |= {"again": archive_address(archive, anew=True), "progress": archive.progress()}
    response = render(request, "projects/gallery/export.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response
