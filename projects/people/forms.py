"""Forms by which a requester decides about a worker, and writes to one."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms

from annotation.models import Project
from pipeline.money.ledger import account_of
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.operation_form import CheckedChoice, CheckedChoices, OperationForm, form_for
from projects.people.operations import (
    EVENTS,
    decide_about_worker,
    give_access,
    give_bonus,
    new_reference,
    record_payment,
    tasks_of_worker,
    write_to_all,
    write_to_worker,
)
from runtime import clock
from workers.models import Access, Worker

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
