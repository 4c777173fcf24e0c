"""The page that makes a survey."""

from pathlib import PurePath
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from pipeline.project.settings_versions import NameTakenError
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.access import makers_only, page_caller
from projects.lifecycle.project_name import name_taken
from projects.models import ItemsFile
from projects.operation import Caller, NoInput
from projects.surveys.check_given import ItemsCheck, check_given
from projects.surveys.forms import ITEMS, SURVEY_KINDS, NewSurveyForm
from projects.surveys.import_items import import_items
from surveys.open_survey import make_survey

SHOWN_FAULTS = 100


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new(request: HttpRequest) -> HttpResponse:
    """Check the items; make a draft of a survey, and lead to the page of its items. The maker becomes its requester."""
    if request.method != "POST":
        return _page(request, NewSurveyForm(request.user))
    form = NewSurveyForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form)
    given = form.cleaned_data
    task, settings = Task(given["kind"]), Settings(survey_votes=given["votes"])
    how = {name: given[name] for name in ("source", "known", "seed")}
    checked = check_given(given["items"], task, settings, project=None, **how)
    if not checked.is_good:
        return _page(request, form, checked)
    user = cast(User, request.user)
    try:
        with transaction.atomic():
            project = make_survey(name=given["name"], title=given["title"], task=task, settings=settings, owner=user)
            keep_given(project, str(given["items"].name), checked, **how)
    except NameTakenError as error:
        form.refuse(name_taken(error))
        return _page(request, form)
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


def _page(request: HttpRequest, form: NewSurveyForm, checked: ItemsCheck | None = None) -> HttpResponse:
    kinds = [(task.value, task.label.capitalize(), SURVEY_KINDS[task], ITEMS[task]) for task in SURVEY_KINDS]
    context = {"form": form, "kinds": kinds, **faults_of(checked)}
    return render(request, "projects/surveys/new.html", context, status=400 if form.is_bound else 200)
