"""The page of a project's data: what was uploaded, imports and how far they are, and what they left out."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.access import managers_only
from campaign.data.begin_import import CLOSED, begin_import
from campaign.data.runs import WISHES, BusyError, resume, standing, stop
from campaign.data.sources import allowed_sources, plain_problem
from campaign.data.upload_pages import summary
from campaign.data.uploads import PIECE, files_folder, listed
from campaign.lifecycle.missing import missing_before_start
from campaign.models import ImportRun
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from exchange.problems import SourceError
from exchange.source import SCHEME
from pipeline.settings_versions import current_settings

SHOWN_PROBLEMS, SHOWN_RUNS = 100, 10
COLUMNS = ("image", "file", "line", "why")


@require_safe
@managers_only
def data(request: HttpRequest, project: Project) -> HttpResponse:
    runs = list(project.import_runs.order_by("-id")[:SHOWN_RUNS])
    newest = runs[0] if runs else None
    waiting = len(waiting_images(project))
    context: dict[str, Any] = {
        "project": project,
        "closed": project.state in CLOSED,
        "images": project.images.count(),
        "waiting": waiting,
        "no_chunker": why_no_chunker(current_settings(project.pk)[1].caption_language),
        "files": summary(project, listed(project)),
        "piece": PIECE,
        "folders": [one for one in allowed_sources() if not one.startswith(SCHEME)],
        "buckets": [one for one in allowed_sources() if one.startswith(SCHEME)],
        "newest": newest,
        "standing": standing(newest) if newest else None,
        "runs": runs[1:],
        "missing": missing_before_start(project) if project.state == ProjectState.DRAFT.value else [],
    }
    if newest:
        context["problems"] = newest.problems.all()[:SHOWN_PROBLEMS]
        context["problem_count"] = newest.problems.count()
    return render(request, "campaign/data/data.html", context)


@require_POST
@managers_only
def start_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin an import of the uploaded files, or of the folder or address that `source` names."""
    user = request.user if request.user.is_authenticated else None
    try:
        begin_import(project, user, request.POST.get("source", "").strip(), gold="gold" in request.POST)
    except SourceError as error:
        messages.error(request, plain_problem(error, files_folder(project.pk)))
    except BusyError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('campaign:data', args=[project.name])}#import")


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def run(request: HttpRequest, project: Project, run_id: int) -> HttpResponse:
    """Tell where a run stands, as JSON, or take the wish to pause, resume or cancel it."""
    row = _run(project, run_id)
    if request.method != "POST":
        return JsonResponse(standing(row))
    wish = request.POST.get("wish", "")
    if wish == "resume":
        try:
            resume(row)
        except BusyError as error:
            return JsonResponse({"error": str(error)}, status=409)
    elif wish in WISHES:
        stop(row, WISHES[wish])
    else:
        return JsonResponse({"error": "The wish is one of pause, resume and cancel."}, status=400)
    row.refresh_from_db()
    return JsonResponse(standing(row))


@require_safe
@managers_only
def left_out(request: HttpRequest, project: Project, run_id: int) -> HttpResponseBase:
    """Send everything that the run left out as CSV, with the reasons."""
    row = _run(project, run_id)
    response = StreamingHttpResponse(_lines(row), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.name}-left-out-{row.pk}.csv"'
    return response


class _Echo:
    """A file for csv.writer that hands each line on."""

    def write(self, line: str) -> str:
        return line


def _lines(run: ImportRun) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for one in run.problems.iterator(chunk_size=1000):
        yield writer.writerow([_plain(one.image), _plain(one.file), one.line or "", _plain(one.message)])


def _plain(text: str) -> str:
    """Return the text so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _run(project: Project, run_id: int) -> ImportRun:
    try:
        return get_object_or_404(ImportRun, project=project, pk=run_id)
    except OverflowError:  # SQLite's numbers end
        raise Http404("There is no such run.") from None
