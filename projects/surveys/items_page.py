"""The page of a survey's items: what is asked, the file that waits for its pictures, and the import."""

import zipfile
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.formats.pictures import is_picture
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only, page_caller
from projects.data.image_runs import CLOSED, IMAGES_LANE
from projects.lifecycle.change_state import missing_before_start
from projects.models import ItemsFile, Run
from projects.operation import Refused
from projects.operation_page import do_by_page
from projects.runs import row_of
from projects.surveys.check_given import ItemsCheck, check_given
from projects.surveys.forms import ITEMS, SURVEY_KINDS, ItemsForm
from projects.surveys.import_items import import_items
from projects.surveys.new_page import faults_of, import_given, keep_given
from projects.uploads.files import list_files, place_of
from surveys.pictures import missing_names
from surveys.read_items import images_in

SHOWN_MISSING, SHOWN_RUNS = 12, 10


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


def _pictures(project: Project, given: ItemsFile) -> dict[str, Any]:
    """Tell which pictures the waiting file needs, and which of them were not uploaded yet."""
    there = set(project.images.values_list("name", flat=True))
    needed = [name for name in images_in(given.text, Task(project.survey)) if name not in there]
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
