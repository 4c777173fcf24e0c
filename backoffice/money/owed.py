"""Tables of what workers are owed, and of what work pays by the hour."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse

from annotation.models import Project
from backoffice.links import anchor, page_of
from pipeline.models import LedgerEntry
from pipeline.money.amounts import in_words
from pipeline.money.ledger import accounts, total
from pipeline.settings_versions import current_settings
from reports.owed import WorkerMoney, money_of
from reports.owed_text import HOURLY, MONEY, amount, parts, pay_cells
from workers.models import Worker


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


def owed_in_project(project: Project, *, may_add: bool) -> list[dict[str, Any]]:
    """Return two tables with a row for each worker: the money, and the pay by the hour."""
    currency = current_settings(project.pk)[1].currency
    found = money_of(project.pk)
    money = [_line(project, row, may_add) for row in found]
    sums = ["all", *map(amount, parts(total(row.account for row in found))), ""]
    hourly = [
        [f"{row.worker}, {task.label}", f"{pay.assignments:,}", *pay_cells(pay)]
        for row in found
        for task, pay in row.pay.items()
    ]
    return [
        {"title": f"Money, in {currency}", "headers": (*MONEY, "record"), "rows": [*money, sums]},
        {"title": f"Pay by the hour, in {currency}", "headers": HOURLY, "rows": hourly},
    ]


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
