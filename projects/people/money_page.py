"""The page of money: what each worker of a project is owed, and what the work pays by the hour."""

from collections.abc import Callable, Mapping, Sequence

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.ledger import WorkerBalance, accounts, total
from pipeline.money.pay_worker import payments_due
from pipeline.project.settings_versions import current_settings
from platforms.settling.worker_money import FIELDS, MONEY, WorkerMoney, money_of, parts
from projects.access import managers_only
from projects.lifecycle.change_state import NextStep
from projects.long_table import Cell, ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from runtime.words import NONE, hours
from runtime.words import money as cents
from workers.models import Worker

SORTS: Mapping[str, Callable[[WorkerBalance], int]] = {
    "earned": lambda account: account.earned,
    "bonus": lambda account: account.bonus,
    "refused": lambda account: account.refused,
    "paid": lambda account: account.paid,
    "owed": lambda account: account.owed,
}
PER_PAGE = 25
EMPTY = "No work was handed in yet."


class MoneyFilter(TableFilter):
    """The fields of the table's form."""

    name = search_field("Worker", "name")
    kind = choice_field("Kind", [(kind, kind) for kind in Worker.Kind.values])


@managers_only("GET", archived=True)
def money(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show a row for each worker of the page; the sums are of all workers."""
    filters = MoneyFilter(request.GET)
    of_all = accounts(project.pk)
    submitted = Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
    ids = of_all.keys() | set(submitted.order_by().values_list("worker", flat=True).distinct())
    people = Worker.objects.filter(id__in=ids, name__icontains=filters.value("name")).order_by("name")
    if kind := filters.value("kind"):
        people = people.filter(kind=kind)
    table = LongTable(
        "workers",
        "worker",
        _columns(project),
        filters,
        "worker",
        EMPTY,
        fill=_money_of(project),
        per_page=PER_PAGE,
        file="ledger",
    )
    by, is_down = table.order()
    rows = list(people.values_list("pk", flat=True))
    if by.sort in SORTS:
        rows.sort(key=lambda worker: SORTS[by.sort](of_all.get(worker, WorkerBalance())))
    if is_down:
        rows.reverse()
    currency = current_settings(project.pk)[1].currency
    sums = [cents(amount, currency) for amount in parts(total(of_all.values()))]
    context = {"step": _next_step(project), "sums": list(zip(MONEY[1:], sums, strict=True))}
    return show_table(request, project, table, rows, "projects/money.html", context)


def _next_step(project: Project) -> NextStep:
    """Return the page of the person to whom most is owed; if nobody waits for money, the ledger as a file."""
    due = [] if project.dry_run else payments_due(project.pk, "next")
    if not due:
        return NextStep("Download the ledger", "?format=csv")
    most = max(due, key=lambda payment: payment.cents).worker
    return NextStep(f"Pay {most.name}", f"{reverse('projects:worker', args=[project.name, most.pk])}#pay")


def _money_of(project: Project) -> Callable[[Sequence[int]], list[WorkerMoney]]:
    def fill(workers: Sequence[int]) -> list[WorkerMoney]:
        places = {worker: place for place, worker in enumerate(workers)}
        return sorted(money_of(project.pk, workers), key=lambda row: places[row.worker.pk])

    return fill


def _columns(project: Project) -> Sequence[ListColumn[WorkerMoney]]:
    def worker(row: WorkerMoney) -> Cell:
        address = reverse("projects:worker", args=[project.name, row.worker.pk])
        return Cell(row.worker.name, url=f"{address}#pay")

    headers = {
        "earned_cents": "Earned",
        "bonus_cents": "Bonus",
        "refused_cents": "Refused",
        "paid_cents": "Paid",
        "owed_cents": "Owed",
        "cents_per_hour": "Pay per hour",
        "cents_per_answering_hour": "Pay per hour answering",
    }
    show: Mapping[str, Callable[[WorkerMoney], Cell | str]] = {
        **{name: _amount(name) for name in headers},
        "worker": worker,
        "seconds": lambda row: hours(row.all_pay.seconds),
    }
    headers |= {"worker": "Worker", "assignments": "Assignments", "seconds": "Time"}
    sorts = {f"{name}_cents": name for name in SORTS} | {"worker": "name"}
    return [
        ListColumn(name, value, headers.get(name, ""), show.get(name), sorts.get(name, ""), is_number=name != "worker")
        for name, value in FIELDS.items()
    ]


def _amount(name: str) -> Callable[[WorkerMoney], str]:
    def show(row: WorkerMoney) -> str:
        amount = FIELDS[name](row)
        return cents(amount, row.currency) if isinstance(amount, int) else NONE

    return show
