"""The page that copies a project, and the buttons that make a dry run of it and delete one."""

from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from pipeline.project.settings_versions import NameTakenError
from projects.access import makers_only, managers_only
from projects.data.runs import begin, request_run
from projects.lifecycle.copy_project import copy_project
from projects.lifecycle.dry_run import NotDryError, delete_dry_run, make_dry_run
from projects.lifecycle.name_form import NameForm
from projects.lifecycle.project_name import name_taken
from projects.models import ImportRun


class CopyForm(NameForm):
    """The names of the copy, and whether images come along."""

    images = forms.BooleanField(
        required=False,
        label="Copy the images, too",
        help_text="With captions, phrases and pictures, and nobody's answers.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
@managers_only(surveys=False)
def copy(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a draft like the project, and lead to the page of its data."""
    initial = {"title": f"Copy of {project.title or project.name}"[:200], "images": True}
    form = CopyForm(request.POST, initial=initial) if request.method == "POST" else CopyForm(initial=initial)
    if form.is_bound and form.is_valid():
        given, user = form.cleaned_data, cast(User, request.user)
        try:
            made = copy_project(project, name=given["name"], title=given["title"], user=user)
        except NameTakenError as error:
            form.refuse(name_taken(error))
        else:
            if given["images"]:
                begin(made, user, ImportRun.Kind.COPY, project)
            return redirect("projects:data", name=made.name)
    context = {"project": project, "form": form, "images": project.images.count()}
    return render(request, "projects/lifecycle/copy.html", context, status=400 if form.is_bound else 200)


@managers_only("POST", surveys=False)
def dry_run(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a scratch copy of some images, let simulated workers answer in it, and lead to the page of its progress."""
    if project.dry_run:
        messages.error(request, "This is a dry run already: make one of the project itself.")
        return redirect("projects:data", name=project.name)
    if not project.images.filter(mentions__isnull=False).exists():
        messages.error(request, "No image has phrases yet: a dry run needs some.")
        return redirect("projects:predict", name=project.name)
    user = request.user if request.user.is_authenticated else None
    return redirect("projects:data", name=begin_dry_run(project, user).name)


@managers_only("POST", surveys=False)
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the dry run at once: nothing in it was made by people."""
    try:
        delete_dry_run(project)
    except NotDryError as error:
        messages.error(request, str(error))
        return redirect("gallery:project", name=project.name)
    messages.success(request, f"{project.title} was deleted.")
    return redirect("gallery:start")


def begin_dry_run(project: Project, user: User | None) -> Project:
    """Return the scratch project of a new dry run, or of one that this user began and that has not ended."""
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # a second press waits for the first
        open_runs = ImportRun.objects.filter(
            kind=ImportRun.Kind.DRY_RUN, source_project=project, user=user, state__in=ImportRun.OPEN
        ).select_related("project")
        if mine := open_runs.first():
            return mine.project
        made = make_dry_run(project, user)
        run = begin(made, user, ImportRun.Kind.DRY_RUN, project, at_once=False)
    request_run(run)
    return made
