"""The page on which a worker writes to the requester and reads the answers."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Project
from labelling.joining.join import projects_of, workers_only
from labelling.messages import (
    BadMessageError,
    NoSuchConversationError,
    TooManyMessagesError,
    conversations_of,
    read_answers,
    write_to_requester,
)
from labelling.models import LENGTH
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

STATUS = {BadMessageError: 400, NoSuchConversationError: 404, TooManyMessagesError: 429}


@require_http_methods(["GET", "HEAD", "POST"])
@workers_only
def conversations(request: HttpRequest, worker: Worker, name: str) -> HttpResponse:
    """Show the conversations about a project, and take a message.

    `?assignment=` and `?task=` name what a new message is about.
    """
    project = get_object_or_404(projects_of(worker), name=name)
    if request.method != "POST":
        return _page(request, worker, project, request.GET)
    try:
        write_to_requester(
            worker_id=worker.pk,
            project_id=project.pk,
            text=request.POST.get("text", ""),
            token=_token(request.POST.get("assignment", "")),
            task=request.POST.get("task", ""),
            conversation_id=_number(request.POST.get("conversation", "")),
        )
    except (BadMessageError, TooManyMessagesError) as error:
        messages.error(request, gettext(str(error)))
        return _page(request, worker, project, request.POST, status=STATUS[type(error)])
    except NoSuchConversationError as error:
        raise Http404(str(error)) from error
    messages.success(request, gettext("Your message was sent. The answer will be shown here."))
    return redirect("labelling:messages", project.name)


@require_POST
@workers_only
def mark_conversation_read(request: HttpRequest, worker: Worker, conversation_id: int) -> HttpResponse:
    """Mark the answers of a conversation as read and go back to the page that showed them."""
    read_answers(conversation_id=conversation_id, worker_id=worker.pk)
    return go_back(request)


def go_back(request: HttpRequest) -> HttpResponse:
    """Lead to the page that a form names in `back`, if it is one of ours; else home."""
    back = request.POST.get("back", "")
    here = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    # A path as it is: `redirect` would look up any other text as the name of a page.
    return HttpResponseRedirect(back) if here and back.startswith("/") else redirect("labelling:home")


def _page(request: HttpRequest, worker: Worker, project: Project, sent: Any, status: int = 200) -> HttpResponse:
    token, task = _token(sent.get("assignment", "")), sent.get("task", "")
    context = {
        "worker": worker,
        "project": project,
        "assignment": Assignment.objects.filter(token=token, worker=worker, project=project).first() if token else None,
        "task": Task(task) if task in tuple(Task) else None,
        "text": sent.get("text", "") if request.method == "POST" else "",
        "replies_to": _number(sent.get("conversation", "")),
        "conversations": conversations_of(worker.pk, project.pk),
        "length": LENGTH,
    }
    return render(request, "labelling/conversations.html", context, status=status)


def _token(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise Http404("There is no such assignment.") from error


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
