"""The page of a project's data: captions that somebody pastes, uploaded files, imports, and what they left out."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.may import may, may_read_folders
from annotation.bounds import JSON_BYTES
from annotation.data_card import CARD_FIELDS, CardField, given, to_store
from annotation.models import Project
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from annotation.rules.states import ProjectState
from annotation.storage import store
from exchange.checks import SourceError
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from exchange.details import BoxUnit
from exchange.formats.captions_folder import CAPTIONS_FOLDER
from exchange.formats.format import EVERY_OPTION
from exchange.formats.pictures import SUFFIXES, is_picture
from exchange.publish_export import archive_called, record_state
from exchange.registry import FORMATS, installed_formats
from exchange.source import SCHEME
from pipeline.project.settings_versions import current_settings
from projects.access import makers_only, managers_only, operation_page, page_caller
from projects.data.copy_operations import begin_copy, begin_dry_run, delete_scratch
from projects.data.export_operations import corrected_path, make_corrected_set, make_export
from projects.data.operations import CLOSED, IMAGES_LANE, apply_types, begin_import
from projects.data.phrase_operations import COLOUR
from projects.data.phrase_types import NO_PHRASE
from projects.data.sources import UPLOADED, allowed_sources, summarize_uploads, uploaded_source
from projects.gallery.access import archive_address, needed_for
from projects.lifecycle.change_state import missing_before_start, next_of_draft
from projects.lifecycle.operations import change_card
from projects.models import ImportProblem, KnownUse, Run
from projects.operation import LARGEST_ID, NoInput, Refused
from projects.operation_page import OperationForm, action_page, do_by_page, done_or_refused, form_for
from projects.runs import row_of, work_of
from projects.uploads.files import Received, UploadError, keep_text, list_files, remove
from runtime.downloads import csv_lines, download
from workers.models import Worker

MAX_LINES_NAMED = 5
"""Lines of which the message says that they are not captions."""
LONGEST_CELL = 20
"""Lines that a caption in quotes may have."""
_NAMED = re.compile(rf'("?).+?(?:{"|".join(map(re.escape, sorted(SUFFIXES)))})\1\s*([,;\t])', re.IGNORECASE)
_ANY = re.compile("[,;]")


class PastedError(Exception):
    """The pasted text is not a list of captions; the message says what to write."""


def as_caption_file(text: str) -> tuple[str, int]:
    """Return the text of captions.csv, and the number of its captions.

    A line is the name of a picture file and a caption, with a comma, a semicolon or a tab between; a header is allowed.
    A caption that is not in quotes may hold all three. Raises PastedError that names the lines that are none.
    """
    if len(text.encode()) > JSON_BYTES:
        raise PastedError("The captions are too long to be pasted: upload them as captions.csv.")
    rows, bad = _rows(re.split("\r\n|\r|\n", text))
    if bad:
        raise PastedError(
            f"{_named(bad)}: write the name of a picture file, a comma, a semicolon or a tab, and its caption."
        )
    if not rows:
        raise PastedError("Paste at least one line: the name of a picture file, a comma or a tab, and its caption.")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("image", "caption"))
    writer.writerows(rows)
    return out.getvalue(), len(rows)


def _rows(lines: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the rows, without a header, and the lines that are none, as a message names them."""
    rows, bad, at = [], [], 0
    while at < len(lines):
        row, taken = _row(lines[at : at + LONGEST_CELL])
        line, number, at = lines[at].strip(), at + 1, at + taken
        if not line or (row and (row[0].lower(), row[1].lower()) == ("image", "caption")):
            continue
        if row is None:
            bad.append(f"{number} ({line[:40]!r})")
        else:
            rows.append(row)
    return rows, bad


def _named(bad: Sequence[str]) -> str:
    """Return which lines are not captions."""
    if len(bad) == 1:
        return f"Line {bad[0]} is not a caption"
    last = (
        bad[MAX_LINES_NAMED - 1 : MAX_LINES_NAMED]
        if len(bad) <= MAX_LINES_NAMED
        else [f"{len(bad) - MAX_LINES_NAMED + 1} more"]
    )
    shown = [*bad[: MAX_LINES_NAMED - 1], *last]
    return f"Lines {', '.join(shown[:-1])} and {shown[-1]} are not captions"


def _row(lines: Sequence[str]) -> tuple[tuple[str, str] | None, int]:
    """Read the row that begins the lines. Returns it, None if it is none, and how many lines it takes."""
    line = lines[0]
    between = _between(line)
    image, _, caption = line.partition(between)
    taken = 1
    if line.lstrip().startswith('"') or caption.lstrip().startswith('"'):
        # Quotes around a whole cell belong to the table; all others belong to the caption.
        for several in range(1, len(lines) + 1):
            if cells := _cells("\n".join(lines[:several]), between):
                image, caption, taken = *cells, several
                break
    image, caption = image.strip(), caption.strip()
    return ((image, caption) if image and caption else None), taken


def _between(line: str) -> str:
    """Return what stands between the name and the caption."""
    if "\t" in line:
        return "\t"
    if named := _NAMED.match(line.lstrip()):
        return named[2]
    found = _ANY.search(line)
    return found[0] if found else ","


def _cells(text: str, between: str) -> tuple[str, str] | None:
    """Read the text as one row of a table; None if its quotes do not stand around whole cells."""
    try:
        rows = list(csv.reader([text], delimiter=between, skipinitialspace=True, strict=True))
    except csv.Error:
        return None
    image, *rest = rows[0] if len(rows) == 1 else [""]
    return image, between.join(rest)


MOST_READ, MOST_REASONS, MOST_NAMED = 5_000, 50, 200
"""Problems that are read for the page, reasons that it shows, and images that it names for each."""
_SOME = "…"
_PLACES = re.compile(r"\[[^\]]*\]")
_PICTURE = re.compile(r"\([^()]*\)$")


@dataclass(slots=True)
class Reason:
    """A reason, and what was left out for it. A name within the reason is left open: "the picture … is missing"."""

    message: str
    problems: list[ImportProblem] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.problems)

    @property
    def counted(self) -> str:
        return f"{self.count:,} {'images' if self.problems[0].image else 'places'}"

    @property
    def named(self) -> Sequence[ImportProblem]:
        return self.problems[:MOST_NAMED]

    @property
    def more(self) -> int:
        return max(0, self.count - MOST_NAMED)


def reasons_left_out(run: Run) -> list[Reason]:
    """Return the reasons, the commonest first. A reason of a single image is told as it is."""
    found: dict[str, Reason] = {}
    for problem in run.problems.all()[:MOST_READ]:
        text = _without_name(problem)
        found.setdefault(text, Reason(text)).problems.append(problem)
    for reason in found.values():
        if reason.count == 1:
            reason.message = reason.problems[0].message
    return sorted(found.values(), key=lambda reason: -reason.count)[:MOST_REASONS]


def _without_name(problem: ImportProblem) -> str:
    """Return the message without the words that name this image, its picture or its place in the file.

    Of a detail of an image that stays these are places and edges, [3], and the path of its picture at the end, (a.jpg).
    """
    name = PurePosixPath(problem.image).name
    words = problem.message.split(" ")
    if not name:
        return _PLACES.sub(f"[{_SOME}]", _PICTURE.sub(f"({_SOME})", problem.message))
    stem = PurePosixPath(name).stem
    if words[0].endswith("]:"):  # a place in the file, such as images[3]:
        del words[0]
    return " ".join(_SOME if stem in word else word for word in words)


def replaceable(run: Run, files: Sequence[Received]) -> str:
    """Return the path of the file that the run's problem names; empty if it names none of the uploaded files."""
    if run.state != Run.State.FAILED or run.operation != begin_import.name or run.input["source"]:
        return ""
    texts = [file.path for file in files if not is_picture(file.path)]
    if len(texts) == 1 and texts[0].lower().endswith(".zip"):
        return texts[0]
    named = [path for path in texts if run.problem.startswith((f"{path}:", f"{UPLOADED}/{path}:"))]
    return named[0] if named else ""


def _text(field: CardField) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": field.lines})
    return forms.CharField(required=False, label=field.label, help_text=field.help, widget=widget)


LONG_TEXTS: dict[str, Any] = {field.name: _text(field) for field in CARD_FIELDS if field.lines > 1}
CardForm = form_for(change_card, **LONG_TEXTS)
CardForm.prefix = "card"


def card_form(project: Project) -> OperationForm:
    """Return the form with what is kept."""
    return CardForm(initial=given(project.data_card))


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
    """Keep captions that were pasted as captions.csv, and import them with the pictures that are uploaded."""
    text = request.POST.get("captions", "")
    try:
        rows, count = as_caption_file(text)
        keep_text(project, "captions.csv", rows)
    except (PastedError, UploadError) as error:
        return _page(request, project, pasted=text, bad_paste=str(error))
    messages.success(request, f"{count} caption{' is' if count == 1 else 's are'} kept as captions.csv.")
    files = summarize_uploads(project, list_files(project))
    if files["format"] == CAPTIONS_FOLDER.name and files["pictures"]:
        do_by_page(begin_import, request, project)
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
    if context["files"]["pictures"] and not context["files"]["others"]:
        return "paste"
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


@managers_only("GET", surveys=False)
def preview(request: HttpRequest, project: Project) -> HttpResponse:
    settings = current_settings(project.pk)[1]
    newest = project.runs.filter(operation=apply_types.name).first()
    is_draft, waiting = project.state == ProjectState.DRAFT.value, len(waiting_images(project))
    context = {
        "project": project,
        "types": [(kind.value, COLOUR[kind.value]) for kind in NOUN_TYPES],
        "pronoun": COLOUR[MentionType.PRONOUN.value] if settings.pronouns else None,
        "no_phrase": NO_PHRASE,
        "is_draft": is_draft,
        "step": next_of_draft(project) if is_draft and not waiting else None,
        "images": project.images.count(),
        "waiting": waiting,
        "no_chunker": why_no_chunker(settings.caption_language),
        "newest": row_of(newest) if newest else None,
    }
    return render(request, "projects/data/preview.html", context)


types = action_page(apply_types, "projects:preview")


@operation_page(make_export, "GET", "POST")
def export_with_options(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the options that a format takes; a POST asks for the archive."""
    formats = [name for name in installed_formats() if may(request.user, needed_for(name), project)]
    chosen = request.GET.get("format", formats[0])
    if chosen not in formats:
        raise Http404(f"There is no format {chosen[:40]!r}: choose one of {', '.join(formats)}.")
    form = _form(chosen, request)
    made = done_or_refused(form, request, project) if form.is_bound else None
    if made is not None and (archive := archive_called(project, made.format, made.record)):
        return redirect(archive_address(archive))
    context = {"project": project, "form": form, "formats": formats, "chosen": chosen}
    return render(request, "projects/data/export.html", context, status=form.status if form.is_bound else 200)


def _form(export_format: str, request: HttpRequest) -> OperationForm:
    """Return the form of the options that the format takes. Images are chosen on the page Explore."""
    without = {"format", "images", *(EVERY_OPTION - FORMATS[export_format].options)}
    form_class = form_for(make_export, without=without)
    is_sent = request.method == "POST"
    data, files = (request.POST, request.FILES) if is_sent else (None, None)
    return form_class(data, files, place={"format": export_format})


CopyForm = form_for(
    begin_copy,
    title=forms.CharField(max_length=200, help_text="As people read it."),
    images=forms.BooleanField(
        required=False,
        label="Copy the images, too",
        help_text="With captions, phrases and pictures, and nobody's answers.",
    ),
)


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
@operation_page(begin_copy)
def copy(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a draft like the project, and lead to the page of its data."""
    initial = {"title": f"Copy of {project.title or project.name}"[:200], "images": True}
    form = CopyForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            made = begin_copy(project, form.given, page_caller(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            return redirect("projects:data", name=made.name)
    context = {"project": project, "form": form, "images": project.images.count()}
    return render(request, "projects/lifecycle/copy.html", context, status=400 if form.is_bound else 200)


@operation_page(begin_dry_run, "POST")
def dry_run(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a scratch copy of some images, let simulated workers answer in it, and lead to the page of its progress."""
    try:
        run = begin_dry_run(project, NoInput(), page_caller(request))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("projects:predict", name=project.name)
    return redirect("projects:data", name=run.project)


@operation_page(delete_scratch, "POST")
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the dry run at once: nothing in it was made by people."""
    if do_by_page(delete_scratch, request, project):
        return redirect("gallery:project", name=project.name)
    return redirect("gallery:start")


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
def corrected_set(request: HttpRequest, project: Project, run_id: int) -> HttpResponseBase:
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
