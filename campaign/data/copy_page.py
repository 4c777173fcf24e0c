"""The page that copies a project, with its images or without."""

from typing import cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from campaign.access import makers_only, managers_only
from campaign.data.runs import begin
from campaign.lifecycle.copy_project import copy_project
from campaign.lifecycle.forms import NameForm
from campaign.models import ImportRun
from pipeline.project.settings_versions import NameTakenError


class CopyForm(NameForm):
    """The names of the copy, and whether images come along."""

    images = forms.BooleanField(
        required=False,
        label="Copy the images, too",
        help_text="With captions, phrases and pictures, and nobody's answers.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
@managers_only
def copy(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a draft like the project, and lead to the page of its data."""
    initial = {"title": f"Copy of {project.title or project.name}"[:200], "images": True}
    form = CopyForm(request.POST, initial=initial) if request.method == "POST" else CopyForm(initial=initial)
    if form.is_bound and form.is_valid():
        given, user = form.cleaned_data, cast(User, request.user)
        try:
            made = copy_project(project, name=given["name"], title=given["title"], user=user)
        except NameTakenError:
            form.say_taken(given["name"])
        else:
            if given["images"]:
                begin(made, user, ImportRun.Kind.COPY, project)
            return redirect("campaign:data", name=made.name)
    context = {"project": project, "form": form, "images": project.images.count()}
    return render(request, "campaign/lifecycle/copy.html", context, status=400 if form.is_bound else 200)
