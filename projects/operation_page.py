"""Pages that do an operation with what a form sent, and tell the result at the top of the next page."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.models import Project
from projects.access import View, operation_page, page_caller
from projects.operation import Operation, Refused
from projects.operation_form import OperationForm, form_for

AnyOperation = Operation[Any, Any, Any]


def done_or_refused(form: OperationForm, request: HttpRequest, project: Project | None) -> Any:
    """Do the operation with what a form holds, and return the output. None: it was not done; the form says why."""
    if not form.is_valid():
        return None
    try:
        return form.operation.run(project, form.given, page_caller(request))
    except Refused as refused:
        form.refuse(refused)
        return None


def submit_form(form: OperationForm, request: HttpRequest, project: Project | None) -> Any:
    """Do the same, and show the result as a message."""
    made = done_or_refused(form, request, project)
    if made is not None:
        messages.success(request, form.operation.say(made))
    return made


def do_by_page(operation: AnyOperation, request: HttpRequest, project: Project | None, **place: Any) -> str:
    """Do the operation with the values that were sent and those of the page, `place`, and show a message.

    Returns the code of a refusal; empty: it was done. Raises Http404 for a row that there is not.
    """
    form = form_for(operation, without=place)(request.POST, request.FILES, place=place)
    if submit_form(form, request, project) is not None:
        return ""
    if form.code == "not_found":
        raise Http404(form.sentence)
    messages.error(request, form.sentence)
    return form.code


def action_page(operation: AnyOperation, back: str, *kept: str) -> View:
    """Return a page that does the operation with what a form sent and its address names, and leads back.

    `kept`: names of the address that the page `back` has, too.
    """

    @operation_page(operation, "POST")
    def act(request: HttpRequest, project: Project, **place: Any) -> HttpResponse:
        do_by_page(operation, request, project, **place)
        return redirect(back, name=project.name, **{name: place[name] for name in kept})

    return act
