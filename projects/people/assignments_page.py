"""The page of a worker's assignments: what each earned, and what a requester does about bad work."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.urls import reverse

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.write_entry import MAX_CENTS
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.settling.worker_money import amount
from projects.access import operation_page
from projects.long_table import Cell, ListColumn, LongTable, TableFilter, choice_field, show_table
from projects.operation_page import ReasonForm, RowAct, RowActs, act_on_rows
from projects.people.operations import leave_out_answers, refuse_pay, restore_pay
from projects.people.pages import worker_here
from runtime.words import money

EMPTY = "The worker has taken no assignment yet."


class AssignmentFilter(TableFilter):
    """The fields of the table's form."""

    task = choice_field("Task", [(task.value, task.label) for task in Task])
    state = choice_field("State", [(state, state) for state in Assignment.State.values])


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


@operation_page(refuse_pay, "GET", "POST")
def assignments(request: HttpRequest, project: Project, worker: int) -> HttpResponseBase:
    """List the worker's assignments, the newest first; a POST acts on those that are chosen."""
    row = worker_here(project, worker)
    rows = Assignment.objects.filter(project=project, worker=row).select_related("worker", "project")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    filters = AssignmentFilter(request.GET)
    chosen = {name: value for name in filters.fields if (value := filters.value(name))}
    table = LongTable("assignments", "assignment", _columns(project), filters, "-begun", EMPTY, acts=ON_ROWS.choices)
    context = {"worker": row, "back": reverse("projects:worker", args=[project.name, row.pk])}
    return show_table(request, project, table, rows.filter(**chosen), "projects/assignments.html", context)


def _columns(project: Project) -> Sequence[ListColumn[Assignment]]:
    currency = current_settings(project.pk)[1].currency
    return (
        ListColumn(
            "task", lambda row: row.task, "Assignment", lambda row: Cell(Task(row.task).label, pick=row.pk), "task"
        ),
        ListColumn("begun", lambda row: row.created_at, "Begun", sort="created_at"),
        ListColumn("ended", lambda row: row.ended_at),
        ListColumn(
            "state",
            lambda row: row.state,
            "State",
            lambda row: Cell(row.state, ["test"] if row.kind == Assignment.Kind.TEST else []),
            "state",
        ),
        ListColumn("kind", lambda row: row.kind),
        ListColumn("questions", lambda row: row.size, "Questions", is_number=True),
        ListColumn(
            "earned_cents",
            lambda row: row.earned_cents,
            "Earned",
            lambda row: money(row.earned_cents, currency),
            "earned_cents",
            is_number=True,
        ),
        ListColumn(
            "answers",
            lambda row: row.acceptance,
            "Answers",
            lambda row: Cell(row.acceptance, [row.acceptance_reason] if row.acceptance else []),
            "acceptance",
        ),
        ListColumn("reason", lambda row: row.acceptance_reason),
    )


def _cells(chosen: Sequence[Assignment]) -> list[list[Any]]:
    return [[f"{Task(row.task).label} of {row.worker}", row.state, amount(row.earned_cents)] for row in chosen]


ON_ROWS = RowActs("assignments", ASSIGNMENT_ACTS, ("Assignment", "State", "Earned"), _cells)
