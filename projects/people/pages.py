"""The pages of workers: the table of everybody, one page for each, and the forms by which a requester decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django import forms
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from labelling.messages import conversations_of
from pipeline.money.ledger import account_of, own_ledger
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.access import View, managers_only, operation_page
from projects.long_table import Cell, ListColumn, LongTable, show_table
from projects.operation import Refused
from projects.operation_page import (
    CheckedChoice,
    CheckedChoices,
    OperationForm,
    action_page,
    do_by_page,
    form_for,
    submit_form,
)
from projects.people import operations
from projects.people.answers import ANSWER_COLUMNS, AnswerFilter, find_answers, shown_answers
from projects.people.figures import WorkerFilter, WorkerRow, add_figures, find_workers, signals_of, story, trust_rows
from projects.people.operations import (
    EVENTS,
    decide_about_worker,
    give_access,
    give_bonus,
    new_reference,
    record_payment,
    tasks_of_worker,
    worker_of,
    write_to_all,
    write_to_worker,
)
from runtime import clock
from runtime.words import interval, money, percent
from workers.models import Access, Message, Worker

Lines = partial(forms.CharField, widget=forms.Textarea({"rows": 3}))
Hidden = partial(forms.CharField, required=False, widget=forms.HiddenInput)
_trust_form = form_for(
    decide_about_worker,
    without=("worker",),
    task=CheckedChoice(required=False),
    event=CheckedChoice(choices=[(event.value, text) for event, text in EVENTS.items()], label="Decision"),
    reason=Lines(help_text="The worker reads it, and so does the record."),
)
_access_form = form_for(
    give_access,
    without=("worker",),
    tasks=CheckedChoices(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="May answer",
        help_text="Without a task the worker gets no new questions. What was answered stays.",
    ),
)
_payment_form = form_for(record_payment, without=("worker",), reference=Hidden())
_bonus_form = form_for(give_bonus, without=("worker",), reference=Hidden())
MessageForm = form_for(write_to_all, text=Lines(label="Message"))
AnswerForm = form_for(write_to_worker, without=("worker",))


def trust_form(project: Project, worker: Worker, sent: Any = None) -> OperationForm:
    """Return the form of one decision, on one task or on all of the worker's tasks that allow it."""
    form = _trust_form(sent, place={"worker": worker.pk})
    tasks: Any = form.fields["task"]
    tasks.choices = [("", "all tasks"), *((task, Task(task).label) for task in tasks_of_worker(project, worker.pk))]
    return form


def access_form(project: Project, worker: Worker, sent: Any = None) -> OperationForm:
    """Return the form of the tasks that the worker may answer."""
    had = list(Access.objects.filter(project=project, worker=worker).values_list("task", flat=True))
    form = _access_form(sent, place={"worker": worker.pk}, initial={"tasks": had})
    tasks: Any = form.fields["tasks"]
    tasks.choices = [(task.value, task.label) for task in tasks_of(project)]
    return form


def payment_form(project: Project, worker: Worker, sent: Any = None) -> OperationForm:
    """Return the form of a payment to the worker, which begins with all that is owed."""
    owed = account_of(worker.pk, project.pk).owed
    start = {"amount": f"{owed / 100:.2f}"} if owed > 0 else {}
    initial = {"reference": new_reference("by hand"), "paid_on": clock.now().date(), **start}
    return _in_currency(_payment_form(sent, place={"worker": worker.pk}, initial=initial, prefix="pay"), project)


def bonus_form(project: Project, worker: Worker, sent: Any = None) -> OperationForm:
    """Return the form of a bonus on top of what the worker's assignments earn."""
    initial = {"reference": new_reference("bonus")}
    return _in_currency(_bonus_form(sent, place={"worker": worker.pk}, initial=initial, prefix="bonus"), project)


def _in_currency(form: OperationForm, project: Project) -> OperationForm:
    form.fields["amount"].label = f"Amount in {current_settings(project.pk)[1].currency}"
    form.fields["amount"].help_text = ""
    return form


ANSWERS_PER_PAGE = 12


@managers_only("GET", archived=True)
def workers(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List everybody who may answer or has answered."""
    filters = WorkerFilter(request.GET, task=[(task.value, task.label) for task in tasks_of(project)])
    table = LongTable(
        "workers",
        "worker",
        _columns(project),
        filters,
        "-seen",
        format_html(
            'Nobody has joined yet. <a href="{}">Invite people by a link.</a>',
            reverse("projects:invitations", args=[project.name]),
        ),
        fill=lambda rows: add_figures(rows, project),
    )
    by, is_down = table.order()
    rows = find_workers(project, filters, by.sort, is_down=is_down)
    return show_table(request, project, table, rows, "projects/workers.html", {"message_form": MessageForm()})


def _columns(project: Project) -> Sequence[ListColumn[WorkerRow]]:
    tasks, currency = len(tasks_of(project)), current_settings(project.pk)[1].currency

    def name(row: WorkerRow) -> Cell:
        return Cell(row.worker.name, [row.pseudonym], reverse("projects:worker", args=[project.name, row.worker.pk]))

    def score(row: WorkerRow) -> Cell:
        if not row.checked:
            return Cell("none checked", is_quiet=True)
        low, high = row.estimate.low, row.estimate.high
        return Cell(percent(row.estimate.value), [f"{row.right} of {row.checked}, {interval(low, high)}"])

    return (
        ListColumn("worker", lambda row: row.worker.name, "Worker", name, "name"),
        ListColumn("pseudonym", lambda row: row.pseudonym),
        ListColumn("kind", lambda row: row.worker.kind, "Kind"),
        ListColumn(
            "trust",
            lambda row: [f"{task}: {state}" for task, state, _ in row.trust],
            "Trust",
            lambda row: _trust_labels(row.trust, tasks),
        ),
        ListColumn("answers", lambda row: row.answers, "Answers", sort="answers", is_number=True),
        ListColumn("right", lambda row: row.right),
        ListColumn("checked", lambda row: row.checked),
        ListColumn(
            "score",
            lambda row: round(row.estimate.value, 4) if row.checked else None,
            "Score",
            score,
            "score",
            note="95 % interval",
        ),
        ListColumn(
            "seen", lambda row: row.seen, "Last seen", lambda row: row.seen or Cell("never", is_quiet=True), "seen"
        ),
        ListColumn(
            "owed_cents", lambda row: row.owed, "Owed", lambda row: money(row.owed, currency), "owed", is_number=True
        ),
    )


def _trust_labels(tasks: list[tuple[str, str, bool]], of: int) -> SafeString:
    """Return a label for each state of trust, with the tasks that have it. `of`: the number of the project's tasks."""
    of_state: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task, state, by_hand in tasks:
        of_state[state, " by hand" if by_hand else ""].append(task)
    labels = (
        (", ".join(names), state, state + hand, "all tasks" if len(names) == of else f"{len(names)} of {of} tasks")
        for (state, hand), names in of_state.items()
    )
    return format_html_join(
        " ",
        '<span class="trust" title="{}"><span class="state t-{}">{}</span> <span class="hint">{}</span></span>',
        labels,
    )


@managers_only("GET", archived=True)
def worker(request: HttpRequest, project: Project, worker: int) -> HttpResponseBase:
    """Show one worker: answers, scores, standing, messages, money and signals."""
    return show_worker(request, project, worker_here(project, worker))


def show_worker(
    request: HttpRequest,
    project: Project,
    row: Worker,
    *,
    sent: dict[str, Form] | None = None,
    undismissed: int = 0,
    status: int = 200,
) -> HttpResponseBase:
    """Show the page. `sent`: forms with what is wrong in them, by name. `undismissed`: the signal that was to be
    dismissed without a reason."""
    own = tasks_of_worker(project, row.pk)
    filters = AnswerFilter(request.GET, task=[(task.value, task.label) for task in Task if task.value in own])
    found = find_answers(project, row.pk, filters.value("task"), filters.value("kind"))
    table = LongTable(
        "answers",
        "answer",
        ANSWER_COLUMNS,
        filters,
        "-given",
        "No answer yet.",
        fill=shown_answers,
        per_page=ANSWERS_PER_PAGE,
        file=f"answers-{pseudonym(project.pk, row.pk)}",
    )
    context: dict[str, Any] = {
        "worker": row,
        "pseudonym": pseudonym(project.pk, row.pk),
        "standing": trust_rows(project, row, own),
        "story": story(project, row.pk),
        "signals": signals_of(project, row.pk),
        "ledger": own_ledger(row.pk, project.pk, most=20),
        "conversations": conversations_of(row.pk, project.pk),
        "notices": Message.objects.filter(worker=row, project=project).order_by("-id")[:20],
        "form": trust_form(project, row),
        "message_form": MessageForm(),
        "payment": payment_form(project, row),
        "bonus": bonus_form(project, row),
        "access_form": access_form(project, row),
        "undismissed": undismissed,
        **(sent or {}),
    }
    return show_table(request, project, table, found, "projects/worker.html", context, status=status)


def worker_here(project: Project, number: int) -> Worker:
    """Return the worker, if they may answer or have answered in the project."""
    try:
        return worker_of(project, number)
    except Refused as refused:
        raise Http404(str(refused)) from refused


def _form_page(name: str, form_of: Callable[[Project, Worker, Any], OperationForm], operation: Any) -> View:
    """Return the page that takes a form of a worker's page. `name`: of the form in the page's context."""

    @operation_page(operation, "POST")
    def act(request: HttpRequest, project: Project, worker: int) -> HttpResponseBase:
        row = worker_here(project, worker)
        form = form_of(project, row, request.POST)
        if submit_form(form, request, project) is None:
            return show_worker(request, project, row, sent={name: form}, status=form.status)
        if operation is operations.give_access and not Access.objects.filter(project=project, worker=row).exists():
            return redirect("projects:workers", name=project.name)  # who has neither access nor answers has no page
        return redirect("projects:worker", name=project.name, worker=worker)

    return act


trust = _form_page("form", trust_form, operations.decide_about_worker)
access = _form_page("access_form", access_form, operations.give_access)
pay = _form_page("payment", payment_form, operations.record_payment)
bonus = _form_page("bonus", bonus_form, operations.give_bonus)
message = action_page(operations.write_to_worker, "projects:worker", "worker")
message_all = action_page(operations.write_to_all, "projects:workers")


@operation_page(operations.dismiss, "POST")
def dismiss_signal(request: HttpRequest, project: Project, worker: int, signal: int) -> HttpResponseBase:
    """Dismiss a signal for good, with the reason why it is not a sign of bad work."""
    if not request.POST.get("note", "").strip():
        return show_worker(request, project, worker_here(project, worker), undismissed=signal, status=400)
    do_by_page(operations.dismiss, request, project, worker=worker, signal=signal)
    return redirect("projects:worker", name=project.name, worker=worker)
