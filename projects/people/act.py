"""Requests of the workers' pages: decide about trust, record a payment, give a bonus, write, dismiss a signal."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from annotation.models import Project
from labelling.messages.answer_worker import answer_worker
from labelling.messages.errors import BadMessageError
from labelling.messages.jobs import hint
from labelling.models import Conversation
from pipeline.money.errors import LedgerError, NotOwedError, ReferenceTakenError
from pipeline.money.give_bonus import give_bonus
from pipeline.money.ledger import account_of
from pipeline.money.pay_worker import pay_worker
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from pipeline.trust.decide_trust import decide_trust
from projects.access import managers_only
from projects.people.forms import AccessForm, BonusForm, MessageForm, TrustForm
from projects.people.pages import payment_form, show_worker, tasks_of_worker, worker_here
from runtime.words import money
from workers.dismiss_signal import dismiss_signal
from workers.grant_access import grant_access, take_access
from workers.messages import send_message
from workers.models import Access, Worker, WorkerSignal
from workers.rules.trust_states import IllegalMoveError, TrustEvent


@managers_only("POST")
def trust(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Suspend, bar, trust or reinstate the worker, with a reason that the worker reads."""
    worker = worker_here(project, worker_id)
    place = {"worker_id": worker.pk, "project_id": project.pk}
    form = TrustForm(request.POST, **place, own=tasks_of_worker(project, worker.pk))
    if not form.is_valid():
        return show_worker(request, project, worker, sent={"form": form}, status=400)
    given = form.cleaned_data
    decided: dict[str, Any] = {
        **place,
        "event": TrustEvent(given["event"]),
        "reason": given["reason"],
        "actor": request.user.get_username(),
        "until": given["until"],
        "take_back": given["take_back"],
    }
    try:
        voided = sum(decide_trust(task=Task(task), **decided).voided for task in given["tasks"])
    except IllegalMoveError as error:  # somebody else decided meanwhile
        form.add_error(None, str(error))
        return show_worker(request, project, worker, sent={"form": form}, status=409)
    again = f" {voided} answers are asked again." if given["take_back"] else ""
    messages.success(request, f"Done: the worker {given['event']}.{again}")
    return redirect("projects:worker", name=project.name, worker_id=worker.pk)


@managers_only("POST")
def access(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Give the worker access to the chosen tasks, and take it away from all others of the project."""
    worker = worker_here(project, worker_id)
    form = AccessForm(project, request.POST, had=[])
    if not form.is_valid():
        return show_worker(request, project, worker, sent={"access_form": form}, status=400)
    given = form.cleaned_data
    others = [task.value for task in tasks_of(project) if task not in given["tasks"]]
    with transaction.atomic():
        new = grant_access(worker, project.pk, given["tasks"], trusted=given["trusted"])
        gone = take_access(worker, project.pk, others)
    messages.success(request, f"Saved. New tasks: {new}; taken away: {gone}.")
    if not given["tasks"]:  # who has neither access nor answers has no page
        return redirect("projects:workers", name=project.name)
    return redirect("projects:worker", name=project.name, worker_id=worker.pk)


@managers_only("POST")
def pay(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Record a payment that was made elsewhere, of at most what is owed; sent twice, it is recorded once."""
    worker = worker_here(project, worker_id)
    form = payment_form(project, worker, request.POST)
    if form.is_valid():
        try:
            pay_worker(
                worker_id=worker.pk,
                project_id=project.pk,
                cents=form.cents,
                reference=form.cleaned_data["reference"],
                actor=request.user.get_username(),
                reason=form.words,
            )
        except LedgerError as error:
            form.refuse("amount", _why_not(error, worker, project))
        else:
            currency = current_settings(project.pk)[1].currency
            messages.success(request, f"Recorded: {money(form.cents, currency)} were paid to {worker.name}.")
            return redirect("projects:worker", name=project.name, worker_id=worker.pk)
    return show_worker(request, project, worker, sent={"payment": form}, status=400)


@managers_only("POST")
def bonus(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Promise a bonus, which is owed until it is paid; sent twice, it is given once."""
    worker, currency = worker_here(project, worker_id), current_settings(project.pk)[1].currency
    form = BonusForm(request.POST, currency=currency)
    if form.is_valid():
        try:
            give_bonus(
                worker_id=worker.pk,
                project_id=project.pk,
                cents=form.cents,
                reason=form.cleaned_data["reason"],
                actor=request.user.get_username(),
                reference=form.cleaned_data["reference"],
            )
        except LedgerError as error:
            form.add_error("amount", str(error))
        else:
            messages.success(request, f"{worker.name} gets a bonus of {money(form.cents, currency)}.")
            return redirect("projects:worker", name=project.name, worker_id=worker.pk)
    return show_worker(request, project, worker, sent={"bonus": form}, status=400)


def _why_not(error: LedgerError, worker: Worker, project: Project) -> str:
    """Return in a requester's words why a payment is not recorded."""
    if isinstance(error, NotOwedError):
        owed = money(account_of(worker.pk, project.pk).owed, current_settings(project.pk)[1].currency)
        return f"Only {owed} are owed. Record at most that; what you gave beyond it is a bonus."
    if isinstance(error, ReferenceTakenError):
        return "This form was sent before, with another amount. Open the worker's page again to record a second one."
    return str(error)


@managers_only("POST")
def message(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Send the worker a message, or the answer to one of theirs."""
    worker = worker_here(project, worker_id)
    form = MessageForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was sent: write a message of at most 2,000 characters.")
        return redirect("projects:worker", name=project.name, worker_id=worker.pk)
    text, number = form.cleaned_data["text"], request.POST.get("conversation", "")
    if number.isdecimal() and len(number) < 19:
        conversation = get_object_or_404(Conversation, pk=int(number), project=project, worker=worker)
        try:
            answer_worker(conversation_id=conversation.pk, text=text, actor=request.user.get_username())
        except BadMessageError as error:
            messages.error(request, str(error))
            return redirect("projects:worker", name=project.name, worker_id=worker.pk)
        hint()
    else:
        send_message(text=text, worker_ids=[worker.pk], project_id=project.pk)
    messages.success(request, "Sent.")
    return redirect("projects:worker", name=project.name, worker_id=worker.pk)


@managers_only("POST")
def message_all(request: HttpRequest, project: Project) -> HttpResponse:
    """Send a message to everybody who may answer."""
    form = MessageForm(request.POST)
    people = Access.objects.filter(project=project, worker__kind=Worker.Kind.PERSON)
    ids = set(people.values_list("worker_id", flat=True))
    if not form.is_valid() or not ids:
        why = "nobody may answer yet" if form.is_valid() else "write a message of at most 2,000 characters"
        messages.error(request, f"Nothing was sent: {why}.")
    else:
        sent = send_message(text=form.cleaned_data["text"], worker_ids=ids, project_id=project.pk)
        messages.success(request, f"Sent to {sent} worker{'' if sent == 1 else 's'}.")
    return redirect("projects:workers", name=project.name)


@managers_only("POST")
def dismiss(request: HttpRequest, project: Project, worker_id: int, signal_id: int) -> HttpResponse:
    """Dismiss a signal for good, with the reason why it is not a sign of bad work."""
    signal = get_object_or_404(WorkerSignal, pk=signal_id, project=project)
    note = request.POST.get("note", "").strip()
    if not note:
        return show_worker(request, project, worker_here(project, worker_id), undismissed=signal.pk, status=400)
    if dismiss_signal(signal_id=signal.pk, by=request.user.get_username(), note=note):
        messages.success(request, "Dismissed. It stays dismissed if it is found again.")
    return redirect("projects:worker", name=project.name, worker_id=worker_id)
