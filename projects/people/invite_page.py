"""The page of invitations: make a link by which people join, see who came by it, and close it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.queries import tasks_of
from projects.access import operation_page
from projects.lifecycle.new_workers import AdmissionWay, missing_known_questions
from projects.lifecycle.steps import next_of_draft
from projects.operation_form import CheckedChoices, OperationForm, form_for
from projects.operation_page import action_page, done_or_refused
from projects.people.join_operations import close_link, invite_workers
from runtime import clock
from workers.models import Invitation
from workers.task_words import task_name

WHO = (
    ("no", "newcomers: they take a test and are on probation, task by task"),
    ("yes", "people you know and trust: they work at once"),
)
InviteForm = form_for(
    invite_workers,
    trusted=forms.TypedChoiceField(
        choices=WHO, widget=forms.RadioSelect, initial="no", label="Who is it for?", coerce=lambda who: who == "yes"
    ),
    tasks=CheckedChoices(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Tasks",
        help_text="Choose none to invite to all of them.",
    ),
)


def invite_form(project: Project, sent: QueryDict | None) -> OperationForm:
    """Return the form of the terms of a link."""
    offered = tasks_of(project)
    waits = bool(missing_known_questions(project, [AdmissionWay("a link", frozenset(offered))]))
    form = InviteForm(sent, initial={"days": 14, "trusted": "yes" if waits else "no"})
    if waits:
        form.fields["trusted"].help_text = "Known questions are missing: newcomers would have to wait for them."
    tasks: Any = form.fields["tasks"]
    tasks.choices = [(task.value, task_name(task)) for task in offered]
    if len(offered) == 1:  # nothing to choose
        del form.fields["tasks"]
    return form


@operation_page(invite_workers, "GET", "POST")
def invitations(request: HttpRequest, project: Project) -> HttpResponse:
    """List the project's links; a POST makes one."""
    form = invite_form(project, request.POST or None)
    if made := done_or_refused(form, request, project):
        messages.success(request, "The link is made. Send it to the people whom you invite.")
        for warning in made.warnings:
            messages.warning(request, warning)
        return redirect("projects:invitations", project.name)
    is_draft = project.state == ProjectState.DRAFT.value
    links = [_link(request, project, row) for row in Invitation.objects.filter(project=project)]
    missing = missing_known_questions(project) if is_draft else []
    context = {
        "project": project,
        "form": form,
        "links": links,
        "draft": is_draft,
        "missing": missing,
        "is_done": bool(is_draft and links),
        "step": next_of_draft(project) if is_draft and links and not missing else None,
    }
    return render(request, "projects/invitations.html", context, status=400 if form.errors else 200)


def _link(request: HttpRequest, project: Project, row: Invitation) -> dict[str, Any]:
    offered = tasks_of(project)
    whole = task_name(offered[0]) if len(offered) == 1 else "all tasks"
    return {
        "row": row,
        "address": request.build_absolute_uri(reverse("join", args=[row.code])),
        "tasks": ", ".join(task_name(task) for task in offered if task.value in row.tasks) or whole,
        "why_closed": _why_closed(row),
    }


def _why_closed(row: Invitation) -> str:
    if row.expires_at and row.expires_at <= clock.now():
        return "expired or closed"
    return "used up" if row.most is not None and row.joined >= row.most else ""


close = action_page(close_link, "projects:invitations")
