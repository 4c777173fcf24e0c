"""The page of money: what each worker of a project is owed, and what the work pays by the hour."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from accounts.events import Kind, record
from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.ledger import accounts, total
from pipeline.project.settings_versions import current_settings
from platforms.settling.worker_money import HOURLY, MONEY, WorkerMoney, amount, money_lines, money_of, parts, pay_cells
from projects.access import managers_only
from runtime.downloads import download
from workers.models import Worker

WORKERS_PER_PAGE = 25


@managers_only("GET", archived=True)
def money(request: HttpRequest, project: Project) -> HttpResponse:
    """Show two tables with a row for each worker of the page; the sums are of all workers."""
    tables, page = owed_in_project(project, request.GET.get("page", ""))
    return render(request, "projects/money.html", {"project": project, "tables": tables, "page": page})


def owed_in_project(project: Project, page: str) -> tuple[list[dict[str, Any]], Page[Any]]:
    """Return the tables of the money and of the pay by the hour, and the page."""
    currency = current_settings(project.pk)[1].currency
    of_all = accounts(project.pk)
    submitted = Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
    ids = of_all.keys() | set(submitted.order_by().values_list("worker", flat=True).distinct())
    people = Worker.objects.filter(id__in=ids).order_by("name")
    shown = Paginator(list(people.values_list("id", flat=True)), WORKERS_PER_PAGE).get_page(page)
    found = money_of(project.pk, list(shown.object_list))
    rows = [[_link(project, row), *map(amount, parts(row.account))] for row in found]
    sums = ["all", *map(amount, parts(total(of_all.values())))]
    hourly = [
        [f"{row.worker}, {task.label}", f"{pay.assignments:,}", *pay_cells(pay)]
        for row in found
        for task, pay in row.pay.items()
    ]
    tables: list[dict[str, Any]] = [
        {"title": f"Money, in {currency}", "headers": MONEY, "rows": [*rows, sums], "wide": True},
        {"title": f"Pay by the hour, in {currency}", "headers": HOURLY, "rows": hourly, "wide": True},
    ]
    return tables, shown


def _link(project: Project, row: WorkerMoney) -> dict[str, str]:
    address = reverse("projects:worker", args=[project.name, row.worker.pk])
    return {"url": f"{address}#pay", "text": row.worker.name}


@managers_only("GET", archived=True)
def ledger(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send one line for each worker: earned, paid, owed, and the pay per hour."""
    lines = money_lines(money_of(project.pk), current_settings(project.pk)[1].currency)
    record(Kind.EXPORT, f"ledger of {project.name}")
    return download(lines, f"{project.name}-ledger.csv")
