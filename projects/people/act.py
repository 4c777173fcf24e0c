"""Requests of the workers' pages: decide about trust, record a payment, give a bonus, write, dismiss a signal."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from annotation.models import Project
from projects.access import View, operation_page
from projects.operation_form import OperationForm
from projects.operation_page import action_page, do_by_page, submit_form
from projects.people import operations
from projects.people.pages import access_form, bonus_form, payment_form, show_worker, trust_form, worker_here
from workers.models import Access, Worker


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
