"""The money of workers and their pay per hour, as text for a terminal."""

from collections.abc import Sequence

from pipeline.money.amounts import in_words
from pipeline.money.ledger import Account
from reports.pay import Pay
from reports.tables import table
from reports.worker_money import WorkerMoney

MONEY = ("worker", "earned", "bonus", "refused", "paid", "owed")
HOURLY = ("worker, task", "assignments", "earned", "hours", "per hour", "hours answering", "per hour answering")


def money_text(rows: Sequence[WorkerMoney], total: Account, currency: str) -> str:
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


def _account(name: str, account: Account) -> list[str]:
    return [name, *map(amount, parts(account))]


def parts(account: Account) -> tuple[int, ...]:
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
    return in_words(cents, "").strip()
