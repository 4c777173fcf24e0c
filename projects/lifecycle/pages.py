"""Pages that make, move and delete a project, and that take what is requested of its long work."""

import shutil
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin.models import DELETION
from django.db import models, transaction
from django.db.models import ForeignObjectRel, Model, Q
from django.db.models.deletion import ProtectedError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Image, Project
from pipeline.models import Assignment, Judgment, LedgerEntry
from platforms.models import Offer, Recruitment, Screening
from projects.access import makers_only, managers_only, operation_page, page_caller
from projects.lifecycle.operations import create_project, move_project, open_work
from projects.models import Run, Upload
from projects.operation import Refused
from projects.operation_page import do_by_page, form_for
from projects.runs import steer_run, work_of
from workers.models import TrustChange

MoveForm = form_for(move_project)


@operation_page(move_project, "POST")
def state(request: HttpRequest, project: Project) -> HttpResponse:
    """Move the project to the state that was sent. Before one with open work is finished, a page asks."""
    form = MoveForm(request.POST)
    if not form.is_valid():
        messages.error(request, form.sentence)
        return redirect("gallery:project", name=project.name)
    if "sure" not in request.POST and (open_now := open_work(project, form.given)):
        return render(request, "projects/lifecycle/finish.html", {"project": project, "open": open_now})
    if do_by_page(move_project, request, project) == "not_ready":
        return redirect("projects:items" if project.survey else "projects:data", name=project.name)
    return redirect("gallery:project", name=project.name)


NewProjectForm = form_for(create_project)


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new_project(request: HttpRequest) -> HttpResponse:
    """Create a draft, and lead to the page that fills it. Its maker becomes its requester."""
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            project = create_project(None, form.given, page_caller(request))
            return redirect("projects:data", name=project.name)
        except Refused as refused:
            form.refuse(refused)
    status = 400 if form.is_bound else 200
    return render(request, "projects/lifecycle/new.html", {"form": form}, status=status)


IMAGES_PER_BATCH = 200
WHY_PROTECTED: dict[type[Model], str] = {
    Assignment: "workers were given questions",
    Judgment: "workers answered questions",
    LedgerEntry: "money was paid, promised or refused",
    TrustChange: "trust in workers was decided",
    Offer: "work was offered on a platform",
    Recruitment: "workers are or were recruited on a platform",
    Screening: "a platform was told who passed a test",
}


@managers_only("GET", "POST")
def delete_project(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the project if its name was typed and nobody has worked in it."""
    plan = plan_deletion(project)
    typed = request.POST.get("typed", "").strip()
    error = ""
    if request.method == "POST":
        if plan.protected:
            error = "Nothing was deleted: work, money or offers belong to this project."
        elif Run.objects.filter(project=project, lane="images", state__in=Run.OPEN).exists():
            error = "Nothing was deleted: an import is running. Cancel it first."
        elif typed != project.name:
            error = f"Nothing was deleted: type {project.name} to confirm."
        else:
            try:
                _delete(request, project)
            except ProtectedError:  # somebody began to work meanwhile
                error = "Nothing was deleted: somebody has begun to work in it."
            else:
                messages.success(request, f"The project {typed} was deleted.")
                return redirect("gallery:start")
    pictures = Image.objects.filter(project=project).exclude(picture="").values("picture").distinct().count()
    context = {"project": project, "plan": plan, "pictures": pictures, "error": error, "typed": typed}
    return render(request, "projects/lifecycle/delete.html", context, status=400 if error else 200)


@transaction.atomic
def _delete(request: HttpRequest, project: Project) -> None:
    """Delete the images a few at a time, so that their rows are never all in memory, then the project.

    The second press of a double click finds that it is gone.
    """
    if not Project.objects.select_for_update().filter(pk=project.pk).exists():
        return
    while ids := list(project.images.order_by("pk").values_list("pk", flat=True)[:IMAGES_PER_BATCH]):
        Image.objects.filter(pk__in=ids).delete()
    page_caller(request).log(project, "", DELETION)
    folder = Upload.folder_of(project.pk)
    project.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


@dataclass(frozen=True)
class Related:
    """The number of rows of one model that hang on a project, and the field paths by which they do."""

    model: type[Model]
    paths: tuple[str, ...]
    count: int

    @property
    def label(self) -> str:
        """The rows in words, such as "judgments: 1,234"."""
        return f"{self.model._meta.verbose_name_plural}: {self.count:,}"

    @property
    def why(self) -> str:
        """The reason why such rows keep the project from being deleted; empty: they do not."""
        return WHY_PROTECTED.get(self.model, "")


@dataclass(frozen=True)
class Deletion:
    """The rows that hang on a project, by what happens to them when it is deleted."""

    deleted: list[Related]
    protected: list[Related]


def plan_deletion(project: Project) -> Deletion:
    """Follow the foreign keys to the project as Django does on deleting, but only count the rows.

    Django's own plan would load and list each of a project's rows, which can be millions.
    """
    deleted: dict[type[Model], list[str]] = {}
    protected: dict[type[Model], list[str]] = {}
    level: dict[type[Model], list[str]] = {Project: []}
    while level:
        # Only the shortest paths count: a row with a project of its own is in the project of its image.
        seen = deleted.keys() | protected.keys()
        found: dict[type[Model], list[str]] = {}
        for model, paths in level.items():
            for relation in _relations_to(model):
                child: Any = relation.related_model
                if child not in seen:
                    group = found if relation.on_delete is models.CASCADE else protected
                    name = relation.field.name
                    group.setdefault(child, []).extend([f"{name}__{path}" for path in paths] or [name])
        deleted |= found
        level = found
    return Deletion(_counted(project, deleted), _counted(project, protected))


def _relations_to(model: type[Model]) -> list[ForeignObjectRel]:
    relations = [field for field in model._meta.get_fields(include_hidden=True) if isinstance(field, ForeignObjectRel)]
    return [relation for relation in relations if relation.on_delete in (models.CASCADE, models.PROTECT)]


def _counted(project: Project, keys: dict[type[Model], list[str]]) -> list[Related]:
    related = []
    for model, paths in keys.items():
        ours = Q()
        for path in paths:
            ours |= Q(**{path: project.pk})
        count = model._default_manager.filter(ours).count()
        if count:
            related.append(Related(model, tuple(paths), count))
    return sorted(related, key=lambda one: str(one.model._meta.verbose_name_plural))


@operation_page(steer_run, "POST")
def steer(request: HttpRequest, project: Project, run: int) -> HttpResponse:
    """Pause, resume or cancel a run, and lead back to its page."""
    do_by_page(steer_run, request, project, run=run)
    row = project.runs.filter(pk=run).first()
    return redirect(work_of(row).page if row else "projects:data", name=project.name)
