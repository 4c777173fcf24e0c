"""Requests of a worker's page: decide about trust, write a message, dismiss a signal."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.models import Project
from campaign.access import managers_only
from campaign.people.forms import MessageForm, TrustForm
from campaign.people.pages import show_worker, tasks_of_worker, worker_here
from messaging.answer_worker import answer_worker
from messaging.errors import BadMessageError
from messaging.jobs import hint
from messaging.models import Conversation
from pipeline.rules.tasks.task import Task
from pipeline.trust.decide_trust import decide_trust
from workers.dismiss_signal import dismiss_signal
from workers.messages import send_message
from workers.models import WorkerSignal
from workers.rules.trust_states import IllegalMoveError, TrustEvent


@require_POST
@managers_only
def trust(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Suspend, bar, trust or reinstate the worker, with a reason that the worker reads."""
    worker = worker_here(project, worker_id)
    place = {"worker_id": worker.pk, "project_id": project.pk}
    form = TrustForm(request.POST, **place, own=tasks_of_worker(project, worker.pk))
    if not form.is_valid():
        return show_worker(request, project, worker, form=form, status=400)
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
        messages.error(request, str(error))
    else:
        again = f" {voided} answers are asked again." if given["take_back"] else ""
        messages.success(request, f"Done: the worker {given['event']}.{again}")
    return redirect("campaign:worker", name=project.name, worker_id=worker.pk)


@require_POST
@managers_only
def message(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Send the worker a message, or the answer to one of theirs."""
    worker = worker_here(project, worker_id)
    form = MessageForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was sent: write a message of at most 2,000 characters.")
        return redirect("campaign:worker", name=project.name, worker_id=worker.pk)
    text, number = form.cleaned_data["text"], request.POST.get("conversation", "")
    if number.isdecimal() and len(number) < 19:
        conversation = get_object_or_404(Conversation, pk=int(number), project=project, worker=worker)
        try:
            answer_worker(conversation_id=conversation.pk, text=text, actor=request.user.get_username())
        except BadMessageError as error:
            messages.error(request, str(error))
            return redirect("campaign:worker", name=project.name, worker_id=worker.pk)
        hint()
    else:
        send_message(text=text, worker_ids=[worker.pk], project_id=project.pk)
    messages.success(request, "Sent.")
    return redirect("campaign:worker", name=project.name, worker_id=worker.pk)


@require_POST
@managers_only
def dismiss(request: HttpRequest, project: Project, worker_id: int, signal_id: int) -> HttpResponse:
    """Dismiss a signal for good, with the reason why it is no sign of bad work."""
    signal = get_object_or_404(WorkerSignal, pk=signal_id, project=project)
    note = request.POST.get("note", "").strip()
    if not note:
        messages.error(request, "Nothing was dismissed: write why this is no sign of bad work.")
    elif dismiss_signal(signal_id=signal.pk, by=request.user.get_username(), note=note):
        messages.success(request, "Dismissed. It stays dismissed if it is found again.")
    return redirect("campaign:worker", name=project.name, worker_id=worker_id)
