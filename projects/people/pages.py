"""The pages of workers: the table of everybody, and one page for each worker."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from labelling.messages.conversations import conversations_of
from pipeline.models import Assignment
from pipeline.money.ledger import account_of, own_ledger
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only
from projects.people.answers import KINDS, find_answers, shown_answers
from projects.people.figures import NEEDS, SORTS, Filter, add_figures, find_workers
from projects.people.forms import AccessForm, BonusForm, MessageForm, PaymentForm, TrustForm
from projects.people.standing import signals_of, standing, story
from workers.models import Access, Message, TrustStatus, Worker
from workers.rules.trust_states import TrustState

WORKERS_PER_PAGE, ANSWERS_PER_PAGE = 50, 12


@managers_only("GET")
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


@managers_only("GET")
def worker(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Show one worker: answers, scores, standing, messages, money and signals."""
    return show_worker(request, project, worker_here(project, worker_id))


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
    task, kind = task if task in set(Task) else "", kind if kind in KINDS else ""
    own = tasks_of_worker(project, row.pk)
    page = Paginator(find_answers(project, row.pk, task, kind), ANSWERS_PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "project": project,
        "worker": row,
        "pseudonym": pseudonym(project.pk, row.pk),
        "standing": standing(project, row, own),
        "story": story(project, row.pk),
        "signals": signals_of(project, row.pk),
        "page": page,
        "answers": shown_answers(list(page.object_list)),
        "task": task,
        "kind": kind,
        "kinds": KINDS.items(),
        "tasks": [(one.value, one.label) for one in Task if one.value in own],
        "filters": f"&{urlencode({'task': task, 'kind': kind})}#answers",
        "ledger": own_ledger(row.pk, project.pk, most=20),
        "conversations": conversations_of(row.pk, project.pk),
        "notices": Message.objects.filter(worker=row, project=project).order_by("-id")[:20],
        "form": TrustForm(worker_id=row.pk, project_id=project.pk, own=own),
        "message_form": MessageForm(),
        "payment": payment_form(project, row),
        "bonus": BonusForm(currency=current_settings(project.pk)[1].currency),
        "access_form": AccessForm(project, had=_accesses(project, row)),
        "undismissed": undismissed,
        **(sent or {}),
    }
    return render(request, "projects/worker.html", context, status=status)


def _accesses(project: Project, row: Worker) -> list[str]:
    return list(Access.objects.filter(project=project, worker=row).values_list("task", flat=True))


def payment_form(project: Project, row: Worker, given: QueryDict | None = None) -> PaymentForm:
    """Return the form of a payment to the worker, which begins with all that is owed."""
    owed, settings = account_of(row.pk, project.pk).owed, current_settings(project.pk)[1]
    return PaymentForm(given, owed=owed, currency=settings.currency)


def worker_here(project: Project, worker_id: int) -> Worker:
    """Return the worker, if they may answer or have answered in the project."""
    row = get_object_or_404(Worker, pk=worker_id)
    here = {"project": project, "worker": row}
    if any(model._default_manager.filter(**here).exists() for model in (Access, Assignment, TrustStatus)):
        return row
    raise Http404("This worker has nothing to do with the project.")


def tasks_of_worker(project: Project, worker_id: int) -> list[str]:
    """Return the tasks that the worker may answer, or has a standing in."""
    here = {"project": project, "worker": worker_id}
    found = {
        task for model in (Access, TrustStatus) for task in model.objects.filter(**here).values_list("task", flat=True)
    }
    return [task.value for task in Task if task.value in found]
