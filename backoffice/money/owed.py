"""Tables of what workers are owed, and of what work pays by the hour."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.urls import reverse

from annotation.models import Project
from backoffice.links import anchor, page_of
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.amounts import in_words
from pipeline.money.ledger import accounts, total
from pipeline.settings_versions import current_settings
from reports.owed import WorkerMoney, money_of
from reports.owed_text import HOURLY, MONEY, amount, parts, pay_cells
from workers.models import Worker

WORKERS_PER_PAGE = 25


def owed_in_projects(projects: QuerySet[Project]) -> dict[str, Any]:
    """Return a table with a row for each of the projects, which links to the tables of the project.

    Dry runs are left out: their workers are simulated.
    """
    rows = []
    for project in projects.filter(dry_run=False).order_by("name"):
        account, currency = total(accounts(project.pk).values()), current_settings(project.pk)[1].currency
        url = f"{reverse('admin:pipeline_ledgerentry_owed')}?project={project.pk}"
        rows.append([anchor(url, project.name), *(in_words(cents, currency) for cents in parts(account))])
    return {"headers": ("project", *MONEY[1:]), "rows": rows}


def owed_in_project(project: Project, page: str, *, may_add: bool) -> tuple[list[dict[str, Any]], Page[Any]]:
    """Return two tables with a row for each worker of the page, the money and the pay by the hour; and the page.

    The sums are of all workers.
    """
    currency = current_settings(project.pk)[1].currency
    of_all = accounts(project.pk)
    submitted = Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
    ids = of_all.keys() | set(submitted.order_by().values_list("worker", flat=True).distinct())
    people = Worker.objects.filter(id__in=ids).order_by("name")
    shown = Paginator(list(people.values_list("id", flat=True)), WORKERS_PER_PAGE).get_page(page)
    found = money_of(project.pk, list(shown.object_list))
    money = [_line(project, row, may_add) for row in found]
    sums = ["all", *map(amount, parts(total(of_all.values()))), ""]
    hourly = [
        [f"{row.worker}, {task.label}", f"{pay.assignments:,}", *pay_cells(pay)]
        for row in found
        for task, pay in row.pay.items()
    ]
    tables = [
        {"title": f"Money, in {currency}", "headers": (*MONEY, "record"), "rows": [*money, sums]},
        {"title": f"Pay by the hour, in {currency}", "headers": HOURLY, "rows": hourly},
    ]
    return tables, shown


def _line(project: Project, row: WorkerMoney, may_add: bool) -> list[Any]:
    """Return a worker's row, with a link to the form that records a payment of all that is owed."""
    filled_in = {
        "worker": row.worker.pk,
        "project": project.pk,
        "kind": LedgerEntry.Kind.PAID.value,
        "cents": row.account.owed,
    }
    url = f"{reverse('admin:pipeline_ledgerentry_add')}?{urlencode(filled_in)}"
    link = anchor(url, "a payment") if may_add and row.account.owed > 0 else ""
    return [page_of(Worker, row.worker.pk, row.worker.name), *map(amount, parts(row.account)), link]
