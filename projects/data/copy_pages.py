"""The page that copies a project, and the buttons that make a dry run of it and delete one."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from projects.access import makers_only, operation_page, page_caller
from projects.data.copy_operations import begin_copy, begin_dry_run, delete_scratch
from projects.operation import NoInput, Refused
from projects.operation_form import form_for
from projects.operation_page import do_by_page

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
