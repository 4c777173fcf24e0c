"""Admission to the gallery, as `accounts.may` decides it, and the exports that it gives: packed once for each state."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.events import Kind, record
from accounts.may import Action, may, may_somewhere, projects_for, roles_for
from annotation.archived import read_archived, since
from annotation.models import Project
from annotation.storage import store
from exchange.jobs import ask_for
from exchange.models import Selection
from exchange.publish_export import PublishedExport, record_state
from exchange.registry import FORMATS, export_formats
from runtime.models import JobRun

View = Callable[..., HttpResponseBase]


def needed_for(export_format: str) -> Action:
    """Return what a visitor must be allowed to do to download the format."""
    return Action.READ_RECORD if holds_answers(export_format) else Action.EXPORT


def holds_answers(export_format: str) -> bool:
    """Tell whether exports hold each worker's answers. The others hold only what the gallery's pages show."""
    return export_format in FORMATS and FORMATS[export_format].record


def note_export(project: Project, export_format: str) -> None:
    """Write into the event log that somebody takes out each worker's answers, if the format holds them."""
    if holds_answers(export_format):
        record(Kind.EXPORT, f"{export_format} of {project.name}")


def refusal(project: str, action: Action, words: str) -> PermissionDenied:
    """Return the error whose page says which role allows this, and who gives it."""
    return PermissionDenied(
        f"To {words}, you need the role {roles_for(action)} in the project “{project}”. "
        "Ask an administrator, or a requester of the project, for it."
    )


def visitors_only(view: View) -> View:
    """Let in whoever is signed in, or may look at some project."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated or may_somewhere(request.user, Action.LOOK):
            return view(request, *args, **kwargs)
        return redirect_to_login(request.get_full_path())

    return guarded


def readers_only(view: View) -> View:
    """Let in whoever may look at the project called `name`, or at the project of the image `image_id`."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if projects_for(request.user, Action.LOOK).filter(**_project_or_image(kwargs)).exists():
            return view(request, *args, **kwargs)
        # A project of others looks like one that does not exist.
        if request.user.is_authenticated or may_somewhere(request.user, Action.LOOK):
            raise Http404("There is no such page, or you are not a member of its project.")
        return redirect_to_login(request.get_full_path())

    return guarded


def _project_or_image(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"name": kwargs["name"]} if "name" in kwargs else {"images": kwargs["image_id"]}


def archived_page(request: HttpRequest, project: Project, *, status: int = 200) -> HttpResponse:
    """Show the page, in place of one that reads images. Whoever manages the project is told the path, too."""
    away = read_archived(project)
    counts = [(away["images"], "images"), (away["judgments"], "judgments"), (away["entries"], "entries of the record")]
    context = {
        "counts": [(f"{number:,}", word) for number, word in counts],
        "project": project,
        "away": away,
        "since": since(away),
        "manages": may(request.user, Action.MANAGE, project),
    }
    return render(request, "projects/gallery/away.html", context, status=status)


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
