"""The page of a project whose images are in an archive: what it was, and where the images are."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.may import Action, may
from annotation.archived import read_archived, since
from annotation.models import Project


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
