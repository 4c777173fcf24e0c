"""The page of a worker's assignments: what each earned, and what a requester does about bad work."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.money.write_entry import MOST
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.trust.void_answers import soft_reject
from platforms.settling.worker_money import amount
from projects.access import managers_only
from projects.act_on_rows import ReasonForm, RowAct, RowActs, act_on_rows
from projects.people.pages import worker_here

PER_PAGE = 50


class RefusalForm(ReasonForm):
    """The reason why pay is refused, and the amount."""

    cents = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        label="Cents",
        help_text="Of each assignment. Leave empty to refuse all that it earned.",
    )

    def __init__(self, data: QueryDict | None, help_text: str) -> None:
        super().__init__(data, help_text)
        self.order_fields(["cents"])


def _leave_out(row: Assignment, given: Mapping[str, Any]) -> str:
    in_effect = len(soft_reject(assignment_id=row.pk, **given).resolved)
    if not in_effect:
        return "not used; nothing had followed from its answers."
    return f"not used. {in_effect} of its judgments had taken effect already, and stay."


def _refuse(row: Assignment, given: Mapping[str, Any]) -> str:
    return f"{amount(refuse_pay(assignment_id=row.pk, **given).cents)} refused."


def _restore(row: Assignment, given: Mapping[str, Any]) -> str:
    return f"{amount(restore_pay(assignment_id=row.pk, **given).cents)} are owed again."


ACTS = {
    "soft": RowAct(
        "Pay, but do not use",
        "Workers keep their pay. Answers that nothing has followed from are asked again of other workers.",
        _leave_out,
    ),
    "refuse": RowAct(
        "Refuse pay",
        "This is the last remedy: usually it is enough to pay for the answers without using them.",
        _refuse,
        form=RefusalForm,
        is_danger=True,
    ),
    "restore": RowAct("Take back a refusal of pay", "The refused pay is owed again.", _restore),
}


@managers_only("GET", "POST")
def assignments(request: HttpRequest, project: Project, worker_id: int) -> HttpResponseBase:
    """List the worker's assignments, the newest first; a POST acts on those that are chosen."""
    worker = worker_here(project, worker_id)
    rows = Assignment.objects.filter(project=project, worker=worker).select_related("worker").order_by("-id")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    context = {
        "project": project,
        "worker": worker,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "currency": current_settings(project.pk)[1].currency,
        "acts": ON_ROWS.choices,
        "back": reverse("projects:worker", args=[project.name, worker.pk]),
    }
    return render(request, "projects/assignments.html", context)


def _cells(chosen: Sequence[Assignment]) -> list[list[Any]]:
    return [[f"{Task(row.task).label} of {row.worker}", row.state, amount(row.earned_cents)] for row in chosen]


ON_ROWS = RowActs("assignments", ACTS, ("Assignment", "State", "Earned"), _cells)
