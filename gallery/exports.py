"""Exports to download: packed once for each state of a project's record."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.models import Project
from annotation.storage import store
from exchange.export_dataset import FORMATS
from exchange.jobs import ask_for
from exchange.publish_export import Archive, record_state
from gallery.access import readers_only
from gallery.reachable import reachable

LOOK_AGAIN_SECONDS = 3


@require_safe
@readers_only
@reachable
def export(request: HttpRequest, name: str, export_format: str, state: str = "") -> HttpResponseBase:
    """Send the finished images as a .zip file; while the file is being made, show a page that waits for it.

    The page waits for the `state` of its first request. If workers are busy, the newest state would never be ready.
    """
    project = get_object_or_404(Project, name=name)
    if export_format not in FORMATS:
        raise Http404(f"There is no format {export_format!r}: choose one of {', '.join(FORMATS)}.")
    archive = Archive(project, export_format, state or record_state(project))
    if not archive.is_there():
        if state and not archive.is_being_made():
            return redirect("gallery:export", name=name, export_format=export_format)
        ask_for(archive)
        if not archive.is_there():
            return _waiting(request, archive)
    return store().delivery(
        request, archive.path, content_type="application/zip", filename=f"{archive.title}.zip", max_age=0
    )


def _waiting(request: HttpRequest, archive: Archive) -> HttpResponseBase:
    response = render(request, "gallery/export.html", {"archive": archive, "project": archive.project}, status=202)
    address = reverse("gallery:export", args=[archive.project.name, archive.export_format, archive.state])
    response["Refresh"] = f"{LOOK_AGAIN_SECONDS}; url={address}"
    response["Cache-Control"] = "no-store"
    return response
