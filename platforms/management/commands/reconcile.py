"""manage.py reconcile PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from pipeline.project.settings_versions import current_settings
from platforms.contract.errors import PlatformError
from platforms.management.choose import PlatformCommand, chosen, recruitment_of
from platforms.settling.compare_ledger import WorkerPayments, compare_ledger, project_cost
from platforms.status import status_of
from platforms.sync import sync
from runtime.words import money


class Command(PlatformCommand):
    help = (
        "Read everything that a platform lists of a project, catch up on what was missed, settle what is due, and "
        "compare its payments with the ledger, worker by worker. Exits with 1 if they differ."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="only compare: write nothing, pay nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment = recruitment_of(platform, project)
        currency = current_settings(project.id)[1].currency
        failures = []
        try:
            if not options["dry_run"]:
                with _Bar("reading") as bar:
                    failures = sync(platform, recruitment, everything=True, done=bar.to).failures
            with _Bar("comparing") as bar:
                lines = compare_ledger(platform, project.id, bar.to)
            cost = project_cost(platform, project.id)
        except PlatformError as error:
            raise CommandError(str(error)) from error
        self.tell_failures(failures)
        self._show(lines, currency)
        if cost:
            paid, fees = money(cost.paid, currency), money(cost.fees, currency)
            self.stdout.write(f"The platform charged {paid} for them, and {fees} of fees and tax.")
        if not options["dry_run"]:
            self.stdout.write(status_of(platform.name, project.id).text())
        same_cost = cost is None or cost.paid == sum(line.ledger_cents for line in lines)
        if not same_cost or any(not line.agrees for line in lines):
            raise CommandError("The ledger and the platform differ: see above.")

    def _show(self, lines: list[WorkerPayments], currency: str) -> None:
        for line in lines:
            if not line.agrees:
                paid, booked = money(line.platform_cents, currency), money(line.ledger_cents, currency)
                self.stdout.write(f"{line.worker}: {paid} paid on the platform, {booked} in the ledger")
        paid = money(sum(line.platform_cents for line in lines), currency)
        booked = money(sum(line.ledger_cents for line in lines), currency)
        self.stdout.write(f"{len(lines)} workers were paid {paid} on the platform; the ledger says {booked}.")


class _Bar:
    """A progress bar of offers."""

    def __init__(self, what: str) -> None:
        self._bar = tqdm(desc=what, unit="offer", disable=None)

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def to(self, number: int, of: int) -> None:
        self._bar.total = of
        self._bar.update(number - self._bar.n)
