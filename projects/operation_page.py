"""A page that does an operation with what its form sent, and tells the result at the top of the next page."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from annotation.models import Project
from projects.access import page_caller
from projects.operation import Operation, Refused
from projects.operation_form import form_for


def do_by_page(operation: Operation[Any, Any, Any], request: HttpRequest, project: Project, **given: Any) -> str:
    """Do the operation with the values that were sent and those of the page, `given`, and show a message.

    Returns the code of a refusal; empty: it was done.
    """
    data = request.POST.copy()
    data.update({name: str(value) for name, value in given.items()})
    form = form_for(operation)(data, request.FILES)
    if not form.is_valid():
        messages.error(request, form.sentence)
        return "invalid"
    try:
        messages.success(request, operation.say(operation.run(project, form.given, page_caller(request))))
    except Refused as refused:
        messages.error(request, str(refused))
        return refused.code
    return ""
