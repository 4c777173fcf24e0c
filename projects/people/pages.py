"""The pages of workers: the table of everybody, and one page for each worker."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from labelling.messages.conversations import conversations_of
from pipeline.money.ledger import own_ledger
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only
from projects.operation import Refused
from projects.people.answers import ANSWER_FILTERS, find_answers, shown_answers
from projects.people.figures import NEEDS, SORTS, Filter, add_figures, find_workers
from projects.people.forms import MessageForm, access_form, bonus_form, payment_form, trust_form
from projects.people.operations import tasks_of_worker, worker_of
from projects.people.trust_rows import signals_of, story, trust_rows
from workers.models import Message, Worker
from workers.rules.trust_states import TrustState

WORKERS_PER_PAGE, ANSWERS_PER_PAGE = 50, 12


@managers_only("GET", archived=True)
def workers(request: HttpRequest, project: Project) -> HttpResponse:
    """List everybody who may answer or has answered."""
    asked = Filter.read(request.GET)
    found = find_workers(project, asked)
    page = Paginator(found, WORKERS_PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = shown = list(page.object_list)
    add_figures(shown, project)
    fields = {"name": asked.name, "kind": asked.kind, "task": asked.task, "trust": asked.trust, "sort": asked.sort}
    fields["needs"] = asked.needs
    context = {
        "project": project,
        "asked": asked,
        "page": page,
        "count": len(found),
        "filtered": bool(asked.name or asked.kind or asked.task or asked.trust or asked.needs),
        "currency": current_settings(project.pk)[1].currency,
        "kinds": Worker.Kind.values,
        "tasks": [(task.value, task.label) for task in tasks_of(project)],
        "states": [state.value for state in TrustState],
        "sorts": SORTS.items(),
        "needs": NEEDS.items(),
        "message_form": MessageForm(),
        "filters": f"&{urlencode({name: value for name, value in fields.items() if value})}",
    }
    return render(request, "projects/workers.html", context)


@managers_only("GET", archived=True)
def worker(request: HttpRequest, project: Project, worker: int) -> HttpResponse:
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
) -> HttpResponse:
    """Show the page. `sent`: forms with what is wrong in them, by name. `undismissed`: the signal that was to be
    dismissed without a reason."""
    task, kind = request.GET.get("task", ""), request.GET.get("kind", "")
    task, kind = task if task in set(Task) else "", kind if kind in ANSWER_FILTERS else ""
    own = tasks_of_worker(project, row.pk)
    page = Paginator(find_answers(project, row.pk, task, kind), ANSWERS_PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "project": project,
        "worker": row,
        "pseudonym": pseudonym(project.pk, row.pk),
        "standing": trust_rows(project, row, own),
        "story": story(project, row.pk),
        "signals": signals_of(project, row.pk),
        "page": page,
        "answers": shown_answers(list(page.object_list)),
        "task": task,
        "kind": kind,
        "kinds": ANSWER_FILTERS.items(),
        "tasks": [(task.value, task.label) for task in Task if task.value in own],
        "filters": f"&{urlencode({'task': task, 'kind': kind})}#answers",
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
    return render(request, "projects/worker.html", context, status=status)


def worker_here(project: Project, number: int) -> Worker:
    """Return the worker, if they may answer or have answered in the project."""
    try:
        return worker_of(project, number)
    except Refused as refused:
        raise Http404(str(refused)) from refused
