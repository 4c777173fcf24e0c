"""The page that deletes a project, after it has said what goes with it."""

import shutil

from django.contrib import messages
from django.contrib.admin.models import DELETION
from django.db import transaction
from django.db.models.deletion import ProtectedError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Image, Project
from campaign.access import managers_only
from campaign.act_on_rows import write_log
from campaign.lifecycle.plan_deletion import plan_deletion
from campaign.models import ImportRun, Upload

AT_ONCE = 200


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the project if its name was typed and nobody has worked in it."""
    plan = plan_deletion(project)
    typed = request.POST.get("typed", "").strip()
    error = ""
    if request.method == "POST":
        if plan.protected:
            error = "Nothing was deleted: work, money or offers belong to this project."
        elif ImportRun.objects.filter(project=project, state__in=ImportRun.OPEN).exists():
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
    return render(request, "campaign/lifecycle/delete.html", context, status=400 if error else 200)


@transaction.atomic
def _delete(request: HttpRequest, project: Project) -> None:
    """Delete the images a few at a time, so that their rows are never all in memory, then the project.

    The second press of a double click finds that it is gone.
    """
    if not Project.objects.select_for_update().filter(pk=project.pk).exists():
        return
    while ids := list(project.images.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        Image.objects.filter(pk__in=ids).delete()
    write_log(request, project, "", DELETION)
    folder = Upload.folder_of(project.pk)
    project.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))
