"""The page of invitations: make a link by which people join, see who came by it, and close it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.tasks import tasks_of
from pipeline.stock.stock_forecast import warnings
from projects.access import managers_only
from projects.lifecycle.newcomers import missing_stock
from runtime import clock
from workers.invitations import close_invitation, invite
from workers.models import Invitation

WHO = (
    ("newcomers", "newcomers: they take a test and are on probation, task by task"),
    ("trusted", "people you know and trust: they work at once"),
)
MOST_PEOPLE, MOST_DAYS = 100_000, 3650


class InviteForm(forms.Form):
    """The terms of a link."""

    who = forms.ChoiceField(choices=WHO, widget=forms.RadioSelect, initial="newcomers", label="Who is it for?")
    tasks = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Tasks",
        help_text="Choose none to invite to all of them.",
    )
    most = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_PEOPLE,
        label="Maximum number of people",
        help_text="The link can be passed on. Empty: no limit.",
    )
    days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_DAYS,
        initial=14,
        label="Valid for (days)",
        help_text="Empty: until you close it.",
    )
    note = forms.CharField(required=False, max_length=200, label="Note", help_text="For you: “spring class”.")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = tasks_of(project)
        choice: Any = self.fields["tasks"]
        choice.choices = [(task.value, task.label) for task in offered]
        if len(offered) == 1:  # nothing to choose
            del self.fields["tasks"]


@managers_only("GET", "POST")
def invitations(request: HttpRequest, project: Project) -> HttpResponse:
    """List the project's links; a POST makes one."""
    form = InviteForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = dict(form.cleaned_data)
        made = invite(project_id=project.pk, trusted=given.pop("who") == "trusted", **{"tasks": [], **given})
        messages.success(request, "The link is made. Send it to the people whom you invite.")
        for warning in [] if made.trusted or project.state == ProjectState.DRAFT else warnings(project.pk):
            messages.warning(request, warning)
        return redirect("projects:invitations", project.name)
    context = {
        "project": project,
        "form": form,
        "links": [_link(request, project, row) for row in Invitation.objects.filter(project=project)],
        "draft": project.state == ProjectState.DRAFT.value,
        "missing": missing_stock(project) if project.state == ProjectState.DRAFT.value else [],
    }
    return render(request, "projects/invitations.html", context, status=400 if form.errors else 200)


def _link(request: HttpRequest, project: Project, row: Invitation) -> dict[str, Any]:
    offered = tasks_of(project)
    whole = offered[0].label if len(offered) == 1 else "all tasks"
    return {
        "row": row,
        "address": request.build_absolute_uri(reverse("join", args=[row.code])),
        "tasks": ", ".join(task.label for task in offered if task.value in row.tasks) or whole,
        "why_closed": _why_closed(row),
    }


def _why_closed(row: Invitation) -> str:
    if row.expires_at and row.expires_at <= clock.now():
        return "expired or closed"
    return "used up" if row.most is not None and row.joined >= row.most else ""


@managers_only("POST")
def close(request: HttpRequest, project: Project, invitation_id: int) -> HttpResponse:
    """Close a link: nobody joins by it any more, and whoever joined stays."""
    close_invitation(get_object_or_404(Invitation, pk=invitation_id, project=project))
    messages.success(request, "The link is closed. Whoever joined by it stays.")
    return redirect("projects:invitations", project.name)
