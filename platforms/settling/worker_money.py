"""The money of a project's workers: earned, paid and owed, and their pay per hour; as CSV, and as text."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from exchange.atomic import atomic_file
from exchange.statistics.tables import table
from pipeline.money.ledger import Pay, WorkerBalance, accounts, hourly_pay
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from runtime.downloads import csv_lines
from runtime.words import money
from workers.models import Worker

MONEY = ("worker", "earned", "bonus", "refused", "paid", "owed")
HOURLY = ("worker, task", "assignments", "earned", "hours", "per hour", "hours answering", "per hour answering")


@dataclass(frozen=True, slots=True)
class WorkerMoney:
    """One worker's money in a project."""

    worker: Worker
    currency: str
    account: WorkerBalance
    pay: dict[Task, Pay]
    """Pay in each task for which the worker submitted something."""

    @property
    def all_pay(self) -> Pay:
        return sum(self.pay.values(), Pay())


FIELDS: Mapping[str, Callable[[WorkerMoney], str | int | None]] = {
    "worker": lambda row: row.worker.name,
    "kind": lambda row: row.worker.kind,
    "currency": lambda row: row.currency,
    "earned_cents": lambda row: row.account.earned,
    "bonus_cents": lambda row: row.account.bonus,
    "refused_cents": lambda row: row.account.refused,
    "paid_cents": lambda row: row.account.paid,
    "owed_cents": lambda row: row.account.owed,
    "assignments": lambda row: row.all_pay.assignments,
    "seconds": lambda row: row.all_pay.seconds,
    "cents_per_hour": lambda row: row.all_pay.by_hour,
    "answering_seconds": lambda row: row.all_pay.answering_seconds,
    "cents_per_answering_hour": lambda row: row.all_pay.by_answering_hour,
}
"""The columns of files."""


def money_of(project_id: int, worker_ids: Collection[int] | None = None) -> list[WorkerMoney]:
    """Return the money of every worker who submitted something or has an entry in the ledger, or of these, by name."""
    by_task: dict[int, dict[Task, Pay]] = defaultdict(dict)
    for (worker, task), pay in hourly_pay(project_id, worker_ids).items():
        by_task[worker][Task(task)] = pay
    found = accounts(project_id, worker_ids)
    people = Worker.objects.filter(id__in=found.keys() | by_task.keys()).order_by("name")
    currency = current_settings(project_id)[1].currency
    return [
        WorkerMoney(person, currency, found.get(person.id, WorkerBalance()), by_task[person.id]) for person in people
    ]


def write_money(rows: Iterable[WorkerMoney], path: Path) -> None:
    """Write the table as CSV, one line per worker. Raises OSError if it cannot be written or already exists."""
    with atomic_file(path) as target, target.open("w", newline="", encoding="utf-8") as file:
        file.writelines(csv_lines(list(FIELDS), ([field(row) for field in FIELDS.values()] for row in rows)))


def money_text(rows: Sequence[WorkerMoney], total: WorkerBalance, currency: str) -> str:
    """Format both tables, or return a sentence if there is nothing to show."""
    if not rows:
        return "No worker has submitted anything yet."
    of_workers = [_account(row.worker.name, row.account) for row in rows]
    hourly = [_pay(f"{row.worker}, {task.label}", pay) for row in rows for task, pay in row.pay.items()]
    return "\n\n".join(
        [
            table(f"Money, in {currency}", MONEY, [*of_workers, _account("all", total)]),
            table(f"Pay by the hour, in {currency}", HOURLY, hourly),
        ]
    )


def _account(name: str, account: WorkerBalance) -> list[str]:
    return [name, *map(amount, parts(account))]


def parts(account: WorkerBalance) -> tuple[int, ...]:
    """Return the amounts in the order of MONEY."""
    return account.earned, account.bonus, account.refused, account.paid, account.owed


def _pay(name: str, pay: Pay) -> list[str]:
    return [name, f"{pay.assignments:,}", *pay_cells(pay)]


def pay_cells(pay: Pay) -> list[str]:
    """Format what was earned and, for both kinds of time, the hours and the pay per hour."""
    times = ((pay.seconds, pay.by_hour), (pay.answering_seconds, pay.by_answering_hour))
    cells = ((f"{seconds / 3600:.2f}", "-" if cents is None else amount(cents)) for seconds, cents in times)
    return [amount(pay.earned_cents), *(cell for pair in cells for cell in pair)]


def amount(cents: int) -> str:
    return money(cents, "").strip()
