"""The page of a worker's assignments: what each earned, and what a requester does about bad work."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.write_entry import MAX_CENTS
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.settling.worker_money import amount
from projects.access import managers_only
from projects.act_on_rows import ReasonForm, RowAct, RowActs, act_on_rows
from projects.people.operations import leave_out_answers, refuse_pay, restore_pay
from projects.people.pages import worker_here

PER_PAGE = 50


class RefusalForm(ReasonForm):
    """The reason why pay is refused, and the amount."""

    cents = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_CENTS,
        label="Cents",
        help_text="Of each assignment. Leave empty to refuse all that it earned.",
    )

    def __init__(self, data: QueryDict | None, help_text: str) -> None:
        super().__init__(data, help_text)
        self.order_fields(["cents"])


ASSIGNMENT_ACTS = {
    "soft": RowAct(
        "Pay, but do not use",
        "Workers keep their pay. Answers that nothing has followed from are asked again of other workers.",
        leave_out_answers,
        "assignment",
    ),
    "refuse": RowAct(
        "Refuse pay",
        "This is the last remedy: usually it is enough to pay for the answers without using them.",
        refuse_pay,
        "assignment",
        form=RefusalForm,
        is_danger=True,
    ),
    "restore": RowAct("Take back a refusal of pay", "The refused pay is owed again.", restore_pay, "assignment"),
}


@managers_only("GET", "POST")
def assignments(request: HttpRequest, project: Project, worker: int) -> HttpResponseBase:
    """List the worker's assignments, the newest first; a POST acts on those that are chosen."""
    row = worker_here(project, worker)
    rows = Assignment.objects.filter(project=project, worker=row).select_related("worker", "project").order_by("-id")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    context = {
        "project": project,
        "worker": row,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "currency": current_settings(project.pk)[1].currency,
        "acts": ON_ROWS.choices,
        "back": reverse("projects:worker", args=[project.name, row.pk]),
    }
    return render(request, "projects/assignments.html", context)


def _cells(chosen: Sequence[Assignment]) -> list[list[Any]]:
    return [[f"{Task(row.task).label} of {row.worker}", row.state, amount(row.earned_cents)] for row in chosen]


ON_ROWS = RowActs("assignments", ASSIGNMENT_ACTS, ("Assignment", "State", "Earned"), _cells)
