"""The page of a project's data: uploaded files, imports and how far they are, and what they left out."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.may import may_read_folders
from annotation.data_card import to_store
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from exchange.details import BoxUnit
from exchange.source import SCHEME
from pipeline.project.settings_versions import current_settings
from projects.access import managers_only, operation_page, page_caller
from projects.data.card_form import CardForm, card_form
from projects.data.image_runs import CLOSED, IMAGES_LANE
from projects.data.left_out import reasons_left_out, replaceable
from projects.data.operations import begin_import
from projects.data.pasted import PastedError, as_caption_file
from projects.data.sources import allowed_sources, summarize_uploads
from projects.data_card import change_card
from projects.lifecycle.change_state import missing_before_start
from projects.models import KnownUse, Run
from projects.operation import LARGEST_ID
from projects.operation_page import do_by_page
from projects.runs import row_of, work_of
from projects.uploads.files import keep_text, list_files, remove
from projects.uploads.received import UploadError
from runtime.downloads import csv_lines, download

SHOWN_RUNS = 10
COLUMNS = ("image", "file", "line", "why")
BOX_UNITS = [
    ("", "as usual: pixels"),
    (BoxUnit.SHARES.value, "shares of the picture from 0 to 1"),
    (BoxUnit.PIXELS.value, "pixels, even where all edges are at most 1"),
]


@managers_only("GET", replaced_by="projects:items")
def data_page(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


@managers_only("POST", surveys=False)
def captions(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep captions that were pasted as captions.csv beside the uploaded pictures."""
    text = request.POST.get("captions", "")
    try:
        rows, count = as_caption_file(text)
        keep_text(project, "captions.csv", rows)
    except (PastedError, UploadError) as error:
        return _page(request, project, pasted=text, bad_paste=str(error))
    messages.success(request, f"{count} caption{' is' if count == 1 else 's are'} kept as captions.csv.")
    return redirect("projects:data", name=project.name)


@operation_page(change_card, "POST")
def keep_card(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep what the requester tells of the data set: exports made from now on have it in their card."""
    form = CardForm(request.POST)
    if not form.is_valid():
        return _page(request, project, card=form)
    messages.success(request, change_card.say(change_card(project, form.given, page_caller(request))))
    return redirect(f"{reverse('projects:data', args=[project.name])}#card")


def _page(request: HttpRequest, project: Project, **more: Any) -> HttpResponse:
    """Show the page; with `pasted` and `bad_paste`, or `card`, fields hold texts that were not taken."""
    runs = list(project.runs.filter(lane=IMAGES_LANE)[:SHOWN_RUNS])
    newest = runs[0] if runs else None
    waiting = len(waiting_images(project))
    files = list_files(project)
    context: dict[str, Any] = {
        "project": project,
        "closed": project.state in CLOSED,
        "images": project.images.count(),
        "waiting": waiting,
        "no_chunker": why_no_chunker(current_settings(project.pk)[1].caption_language),
        "files": summarize_uploads(project, files),
        "uses": KnownUse.choices,
        "units": BOX_UNITS,
        "folders": [source for source in allowed_sources() if not source.startswith(SCHEME)],
        "buckets": [source for source in allowed_sources() if source.startswith(SCHEME)],
        "reads_folders": may_read_folders(request.user),
        "newest": row_of(newest) if newest else None,
        "newest_title": work_of(newest).title if newest else "",
        "runs": [(run, work_of(run).title) for run in runs[1:]],
        "card": card_form(project),
        "card_given": len(to_store(project.data_card)),
        "missing": missing_before_start(project) if project.state == ProjectState.DRAFT.value else [],
    }
    if newest:
        context["reasons"] = reasons_left_out(newest)
        context["problem_count"] = newest.problems.count()
        context["replaceable"] = replaceable(newest, files)
    context["next"] = _next_step(project, context)
    return render(request, "projects/data/data.html", context | more)


def _next_step(project: Project, context: dict[str, Any]) -> str:
    """Return the step whose button is the main one."""
    if context.get("replaceable"):
        return "replace"
    if context["files"]["format"]:
        return "import"
    return "phrases" if project.state == ProjectState.DRAFT.value and not context["missing"] else "upload"


@operation_page(begin_import, "POST")
def start_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin an import of the uploaded files, or of the folder or address that `source` names."""
    do_by_page(begin_import, request, project)
    return redirect(f"{reverse('projects:data', args=[project.name])}#import")


@managers_only("GET")
def left_out_csv(request: HttpRequest, project: Project, run_id: int) -> HttpResponseBase:
    """Send everything that the run left out as CSV, with the reasons."""
    row = get_object_or_404(Run, project=project, pk=min(run_id, LARGEST_ID))
    problems = (
        (problem.image, problem.file, problem.line or "", problem.message)
        for problem in row.problems.iterator(chunk_size=1000)
    )
    return download(csv_lines(COLUMNS, problems), f"{project.name}-left-out-{row.pk}.csv")


@managers_only("POST")
def remove_files(request: HttpRequest, project: Project) -> HttpResponse:
    """Remove the uploaded file that `path` names, or all of them."""
    try:
        remove(project, request.POST.get("path", ""))
    except UploadError as error:
        messages.error(request, str(error))
    return redirect("projects:data", name=project.name)
