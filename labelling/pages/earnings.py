"""Earnings of a worker in a project, by the ledger, and roughly by the hour."""

from dataclasses import dataclass

from labelling.open_tasks import ENOUGH
from pipeline.money.amounts import rough_cents
from pipeline.money.ledger import Account, account_of
from pipeline.project.settings_versions import current_settings
from reports.pay import Pay, hourly_pay


@dataclass(frozen=True, slots=True)
class Earnings:
    """Amounts in hundredths of the project's currency."""

    account: Account
    currency: str
    hourly_cents: int
    """The pay by the hour, without refused pay and bonuses; 0: unpaid, or too few assignments to tell."""


def earnings(project_id: int, worker_id: int) -> Earnings:
    """Return the worker's earnings. Hours run from taking an assignment to handing it in, tests included."""
    _, settings = current_settings(project_id)
    account = account_of(worker_id, project_id)
    return Earnings(
        account, settings.currency, _by_hour(sum(hourly_pay(project_id, [worker_id]).values(), Pay()), account)
    )


def _by_hour(pay: Pay, account: Account) -> int:
    if pay.assignments < ENOUGH or not pay.seconds:
        return 0
    return rough_cents(3600 * max(pay.earned_cents - account.refused, 0) // pay.seconds)
