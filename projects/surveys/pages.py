"""Pages of surveys: make one, give it items and known questions, and see its results."""

import zipfile
from collections import Counter
from contextlib import suppress
from operator import attrgetter
from pathlib import PurePath, PurePosixPath
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.events import Kind, record
from accounts.may import Action, may, may_borrow_pictures, projects_for
from accounts.may import User as Visitor
from annotation.models import Image, Project
from annotation.rules.states import ProjectState
from exchange.formats.pictures import is_picture
from pipeline.gold_questions.known_forecast import assignments_of_new_worker
from pipeline.gold_questions.known_questions import Purpose
from pipeline.known.gold_annotation import recommended_questions
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import NameTakenError, current_settings
from pipeline.protocol.settings import MOST_VOTES
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.settings import Settings
from projects.access import makers_only, managers_only, members_who, page_caller, reviewers_only
from projects.chart import as_csv
from projects.dashboard.charts import charts
from projects.dashboard.figures import read_figures
from projects.dashboard.needs import needs_of
from projects.data.operations import CLOSED, IMAGES_LANE
from projects.lifecycle.change_state import missing_before_start, missing_known_questions, needed_questions, ways_in
from projects.lifecycle.operations import NameForm, name_taken
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, show_table
from projects.models import ItemsFile, Run
from projects.operation import Caller, NoInput, Refused
from projects.operation_page import do_by_page
from projects.runs import row_of
from projects.surveys.import_items import ItemsCheck, check_given, import_items
from projects.surveys.results import CountedQuestion, money_tiles, progress_tiles, question_rows, results_now
from projects.uploads.files import list_files, place_of
from runtime.downloads import download
from surveys.ask_items import make_survey
from surveys.pictures import missing_names
from surveys.read_items import images_in
from surveys.votes import lines_of

MOST_MEGABYTES = 20
LARGEST_SEED = 2**31 - 1
SHOWN_FAULTS, SHOWN_MISSING, SHOWN_RUNS = 100, 12, 10


SURVEY_KINDS = {
    Task.CAPTION_CHECK: "A picture and one caption: is it correct, and if not, which word is wrong?",
    Task.ATOM_VISUAL: "A word with three example captions and their pictures: can one see it in a picture?",
}
ITEMS = {
    Task.CAPTION_CHECK: '{"image": "dog.jpg", "caption": "a man with a dog", "foil": "a man with a cat", "place": 4}',
    Task.ATOM_VISUAL: '{"atom": "dog", "category": "entity", "examples": [{"image": "dog.jpg", "caption": "…"}, …]}',
}
"""A line of the file, for the page."""


class ItemsForm(forms.Form):
    """A file of items, and how they are imported."""

    items = forms.FileField(
        label="File of items",
        help_text="JSON lines, one item each.",
        widget=forms.FileInput({"accept": ".jsonl,.json"}),
    )
    source = forms.ModelChoiceField(
        Project.objects.none(),
        required=False,
        label="Pictures",
        empty_label="I upload them",
        help_text="Uploaded on the next page, or those of a project of yours, which are not copied.",
    )
    known = forms.IntegerField(
        min_value=0,
        max_value=10_000,
        initial=0,
        label="Items that become verification questions",
        help_text="Their answers are known, and workers are checked by them. They are not asked as real questions. "
        "Newcomers need some; people whom you trust need none.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=0,
        required=False,
        label="Seed",
        help_text="Decides the order of the questions and which items are known.",
    )

    def __init__(self, user: Visitor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        pictured = Image.objects.filter(project=OuterRef("pk")).exclude(picture="")
        source: Any = self.fields["source"]
        offered = projects_for(user, Action.LOOK).filter(Exists(pictured)).order_by("name")
        closed = [survey.pk for survey in offered.exclude(survey="") if not may_borrow_pictures(user, survey)]
        source.queryset = offered.exclude(pk__in=closed)
        source.label_from_instance = lambda one: one.title or one.name

    def clean_items(self) -> Any:
        file = self.cleaned_data["items"]
        if file.size > MOST_MEGABYTES << 20:
            raise forms.ValidationError(
                f"The file has more than {MOST_MEGABYTES} MB: split it, or use the command survey_import on the server."
            )
        return file

    def clean_seed(self) -> int:
        return int(self.cleaned_data["seed"] or 0)


class NewSurveyForm(NameForm, ItemsForm):
    """A new survey: its names, what it asks, its items, and how many workers answer each question."""

    field_order = ("title", "name", "kind", "items", "source", "votes", "known", "seed")
    kind = forms.ChoiceField(
        label="What is asked",
        choices=[(task.value, task.label.capitalize()) for task in SURVEY_TASKS],
        widget=forms.RadioSelect,
        initial=Task.CAPTION_CHECK.value,
    )
    votes = forms.IntegerField(
        min_value=1,
        max_value=MOST_VOTES,
        initial=3,
        label="Workers who answer each question",
        help_text="An odd number: the majority decides.",
    )

    def clean_votes(self) -> int:
        votes = int(self.cleaned_data["votes"])
        if votes % 2 == 0:
            raise forms.ValidationError(f"{votes} is even: write an odd number, so that there is always a majority.")
        return votes


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new(request: HttpRequest) -> HttpResponse:
    """Check the items; make a draft of a survey, and lead to the page of its items. The maker becomes its requester."""
    if request.method != "POST":
        return _new_page(request, NewSurveyForm(request.user))
    form = NewSurveyForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _new_page(request, form)
    given = form.cleaned_data
    task, settings = Task(given["kind"]), Settings(survey_votes=given["votes"])
    how = {name: given[name] for name in ("source", "known", "seed")}
    checked = check_given(given["items"], task, settings, project=None, **how)
    if not checked.is_good:
        return _new_page(request, form, checked)
    user = cast(User, request.user)
    try:
        with transaction.atomic():
            project = make_survey(name=given["name"], title=given["title"], task=task, settings=settings, owner=user)
            keep_given(project, str(given["items"].name), checked, **how)
    except NameTakenError as error:
        form.refuse(name_taken(error))
        return _new_page(request, form)
    import_given(project, page_caller(request))
    return redirect("projects:items", name=project.name)


def keep_given(
    project: Project, name: str, checked: ItemsCheck, *, source: Project | None, known: int, seed: int
) -> ItemsFile:
    """Keep a good file in place of one that still waits for its import."""
    values = {"text": checked.text, "items": checked.items, "source": source, "known": known, "seed": seed}
    values["name"] = PurePath(name).name[:200]
    return ItemsFile.objects.update_or_create(project=project, defaults=values)[0]


def import_given(project: Project, caller: Caller) -> None:
    """Begin the import if nobody has to upload pictures before. Raises Refused while another import is running."""
    if ItemsFile.objects.filter(project=project, source__isnull=False).exists():
        import_items(project, NoInput(), caller)


def faults_of(checked: ItemsCheck | None) -> dict[str, Any]:
    """Return what the page of a refused file shows."""
    faults = checked.faults if checked else ()
    return {"faults": faults[:SHOWN_FAULTS], "fault_count": len(faults), "problem": checked.problem if checked else ""}


def _new_page(request: HttpRequest, form: NewSurveyForm, checked: ItemsCheck | None = None) -> HttpResponse:
    kinds = [(task.value, task.label.capitalize(), SURVEY_KINDS[task], ITEMS[task]) for task in SURVEY_KINDS]
    context = {"form": form, "kinds": kinds, **faults_of(checked)}
    return render(request, "projects/surveys/new.html", context, status=400 if form.is_bound else 200)


@managers_only("GET", "POST", only_surveys=True)
def items(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what is asked and what is missing; POST takes a file of items, begins its import, or forgets it."""
    if request.method != "POST":
        return _page(request, project, ItemsForm(request.user))
    acts = {"give": _give, "import": _import, "forget": _forget}
    act = acts.get(request.POST.get("action", ""))
    if project.state in CLOSED:
        messages.error(request, "The survey is finished: reopen it before more items come in.")
    elif project.runs.filter(lane=IMAGES_LANE, state__in=Run.OPEN).exists():
        messages.error(request, "An import is running: wait for its end, or cancel it.")
    elif act is None:
        messages.error(request, "This page has no such button: nothing was changed.")
    else:
        return act(request, project)
    return redirect("projects:items", name=project.name)


def _give(request: HttpRequest, project: Project) -> HttpResponse:
    form = ItemsForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, project, form)
    given = form.cleaned_data
    how = {name: given[name] for name in ("source", "known", "seed")}
    settings = current_settings(project.pk)[1]
    checked = check_given(given["items"], Task(project.survey), settings, project=project, **how)
    if not checked.is_good:
        return _page(request, project, form, checked)
    keep_given(project, str(given["items"].name), checked, **how)
    try:
        import_given(project, page_caller(request))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("projects:items", name=project.name)


def _import(request: HttpRequest, project: Project) -> HttpResponse:
    do_by_page(import_items, request, project)
    return redirect("projects:items", name=project.name)


def _forget(request: HttpRequest, project: Project) -> HttpResponse:
    ItemsFile.objects.filter(project=project).delete()
    messages.success(request, "The file is forgotten. What was imported stays.")
    return redirect("projects:items", name=project.name)


def _page(request: HttpRequest, project: Project, form: ItemsForm, checked: ItemsCheck | None = None) -> HttpResponse:
    task = Task(project.survey)
    given = ItemsFile.objects.filter(project=project).select_related("source").first()
    runs = list(project.runs.filter(lane=IMAGES_LANE)[:SHOWN_RUNS])
    newest = row_of(runs[0]) if runs else None
    is_open = bool(runs) and runs[0].is_open
    context = {
        "project": project,
        "form": form,
        "task": task,
        "about": SURVEY_KINDS[task],
        "example": ITEMS[task],
        "asked": Question.objects.filter(project=project).count(),
        "images": project.images.count(),
        "known": KnownQuestion.objects.filter(project=project, retired_at=None).count(),
        "given": given,
        "pictures": _pictures(project, given) if given and not given.source and not is_open else None,
        "closed": project.state in CLOSED,
        "newest": newest,
        "is_open": is_open,
        "runs": runs[1:],
        "missing": missing_before_start(project) if project.state == ProjectState.DRAFT.value else [],
        **faults_of(checked),
    }
    return render(request, "projects/surveys/items.html", context, status=400 if form.is_bound else 200)


def _pictures(project: Project, items: ItemsFile) -> dict[str, Any]:
    """Tell which pictures the waiting file needs, and which of them were not uploaded yet."""
    there = set(project.images.values_list("name", flat=True))
    needed = [name for name in images_in(items.text, Task(project.survey)) if name not in there]
    here = _uploaded(project)
    missing = missing_names(needed, here)
    return {
        "needed": len(needed),
        "here": len(needed) - len(missing),
        "uploaded": len(here),
        "missing": missing[:SHOWN_MISSING],
        "more": max(0, len(missing) - SHOWN_MISSING),
    }


def _uploaded(project: Project) -> list[str]:
    """Return the names of the uploaded pictures, those in .zip files, too."""
    names: list[str] = []
    place = place_of(project.pk)
    for upload in list_files(project):
        if upload.received < upload.size:
            continue
        if not upload.path.lower().endswith(".zip"):
            names.append(upload.path)
            continue
        with suppress(zipfile.BadZipFile), place.open(upload.path) as file, zipfile.ZipFile(file) as archive:
            names += archive.namelist()
    return [PurePosixPath(name).name for name in names if is_picture(name)]


QUESTIONS_PER_PAGE = 12
readers_of_votes = members_who(Action.READ_RECORD, "download the votes, which say how each worker answered")


QUESTION_COLUMNS: tuple[ListColumn[CountedQuestion], ...] = (
    ListColumn("item", lambda row: row.item),
    ListColumn("name", lambda row: row.listed.name, "question", sort="name"),
    ListColumn("image", lambda row: row.image.name),
    ListColumn("kind", lambda row: row.listed.kind, "kind", sort="kind"),
    ListColumn("text", lambda row: row.atom or " ".join(word.text for word in row.caption)),
    ListColumn("majority", lambda row: row.kind if row.atom else ""),
    ListColumn("votes", lambda row: len(row.ballots)),
    ListColumn("share", lambda row: round(row.listed.share, 4), "share of votes", sort="share"),
)
"""`share`: of the votes that are right; of an atom, of those that can see it."""


class SurveyQuestionFilter(TableFilter):
    """The fields of the list of questions."""

    kind = choice_field("Kind")


@reviewers_only("GET", only_surveys=True)
def results(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show what the votes say, and how the work goes."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found, manages = results_now(project, settings), may(request.user, Action.MANAGE, project)
    is_captions = project.survey == Task.CAPTION_CHECK
    kinds = dict.fromkeys(item.kind for item in found.listed)
    filters = SurveyQuestionFilter(request.GET, kind=[(kind, kind) for kind in kinds])
    table = LongTable(
        "questions",
        "question",
        QUESTION_COLUMNS,
        filters,
        "share" if is_captions else "kind",
        "",
        fill=lambda rows: question_rows(project, rows),
        per_page=QUESTIONS_PER_PAGE,
    )
    by, is_down = table.order()
    kind = filters.value("kind")
    rows = [item for item in found.listed if not kind or item.kind == kind]
    rows.sort(key=attrgetter(by.sort), reverse=is_down)
    context = {
        "is_captions": is_captions,
        "task": Task(project.survey),
        "manages": manages,
        "results": found,
        "progress": progress_tiles(found, figures),
        "money": money_tiles(project, found, figures, settings) if manages else [],
        "needs": needs_of(project, settings, figures) if manages else [],
        "pace": [chart for chart in charts(figures, settings) if chart.name == "hours"] if manages else [],
        "votes": settings.survey_votes,
    }
    return show_table(request, project, table, rows, "projects/surveys/results.html", context)


@reviewers_only("GET", only_surveys=True)
def table(request: HttpRequest, project: Project, chart: str) -> HttpResponseBase:
    """Send the numbers of a chart as CSV: shares as fractions."""
    found = {chart.name: chart for chart in results_now(project, current_settings(project.pk)[1]).charts}
    if chart not in found:
        raise Http404(f"There is no table {chart!r}.")
    return as_csv(project.name, found[chart])


@readers_of_votes("GET", only_surveys=True)
def votes(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send the votes, one JSON object a line: the bytes that survey_export writes."""
    record(Kind.EXPORT, f"votes of {project.name}")
    return download(lines_of(project), f"{project.name}-votes.jsonl", "application/jsonl")


PURPOSE_LABELS = {
    Purpose.VERIFICATION: ("Verification questions", "hidden among real ones, to measure everybody's work"),
    Purpose.TEST: ("Test questions", "for newcomers"),
    Purpose.EXAMPLE: ("Examples", "with explanations, to try before the test"),
}


def known_questions_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the stock by purpose and right answer. It is filled by importing items."""
    task, settings = Task(project.survey), current_settings(project.pk)[1]
    mix: dict[str, Counter[str]] = {purpose.value: Counter() for purpose in PURPOSE_LABELS}
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).order_by()
    verification = []
    for purpose, truth, shown in rows.values_list("purpose", "truth", "shown"):
        mix[purpose][answer_name(task, truth)] += 1
        verification += [shown] if purpose == Purpose.VERIFICATION else []
    wanted = {purpose.value: least for purpose, least in needed_questions(settings).items()}
    ways = ways_in(project)
    draft = project.state == ProjectState.DRAFT.value
    context = {
        "project": project,
        "task": task,
        "stock": [
            (name, words, mix[purpose.value].total(), sorted(mix[purpose.value].items()), wanted.get(purpose.value, 0))
            for purpose, (name, words) in PURPOSE_LABELS.items()
        ],
        "recommended": recommended_questions(settings),
        "lasts": assignments_of_new_worker(settings, task, verification),
        "ways": ways,
        "missing": missing_known_questions(project, ways),
        "draft": draft,
        "manages": may(request.user, Action.MANAGE, project),
    }
    return render(request, "projects/surveys/stock.html", context)
