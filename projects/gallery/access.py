"""Admission to the gallery: what `accounts.may` decides, as a page, a sign-in, a refusal, or the page of an archive."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.events import Kind, record
from accounts.may import Action, may, may_somewhere, projects_for, roles_for
from annotation.archived import read_archived, since
from annotation.models import Project
from exchange.registry import FORMATS

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
