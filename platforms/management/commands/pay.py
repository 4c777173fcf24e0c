"""manage.py pay PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from pipeline.project.settings_versions import current_settings
from platforms.contract.errors import PlatformError
from platforms.management.choose import PlatformCommand, chosen, confirm, recruitment_of
from platforms.offers.read_offers import read_offers
from platforms.settling.plan_payments import DuePayment, payments_to_make
from platforms.sync import Round, settle
from runtime import clock
from runtime.words import money


class Command(PlatformCommand):
    help = (
        "Settle with a platform: pay bonuses for what is owed beyond the rewards, approve finished sessions, "
        "and reject those whose pay was refused. Reads the platform first, and shows what it is about to do."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="only show what would be done")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment_of(platform, project)
        currency = current_settings(project.id)[1].currency
        now = clock.now()
        try:
            self.tell_failures(read_offers(platform, project.id, now=now))
            due = payments_to_make(platform.name, project.id, now)
            for payment in due:
                self.stdout.write(_line(payment, currency))
            cents = sum(payment.cents for payment in due)
            self.stdout.write(f"{len(due)} to be settled, {money(cents, currency)} for workers, without fees.")
            if options["dry_run"]:
                return
            if due:
                live = platform.marketplace().live
                confirm(f"Settle them{' with real money' if live else ''}?", yes=options["yes"])
            this = Round()
            settle(platform, project.id, this, now=now)
        except PlatformError as error:
            raise CommandError(str(error)) from error
        self.tell(platform, project, this.failures)


def _line(due: DuePayment, currency: str) -> str:
    amount = f": {money(due.cents, currency)}" if due.cents else ""
    return f"{due.kind.value} {due.session.worker} at {due.session.external_id}{amount}. {due.reason}"
