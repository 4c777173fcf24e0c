"""manage.py ledger PROJECT: what workers have earned, were paid and are owed."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Project
from pipeline.management.find_project import find_project
from pipeline.money.ledger import total
from pipeline.money.pay_worker import left_to_platforms, pay_all, payments_due
from pipeline.money.write_entry import LedgerError
from pipeline.project.settings_versions import current_settings
from platforms.settling.worker_money import money_of, money_text, write_money
from runtime.installed import COMMAND
from runtime.words import money


class Command(BaseCommand):
    help = (
        "Print what each worker of a project has earned, was paid and is owed, and the pay per hour. "
        "With --pay-all, record that everything was paid. No money is moved."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument(
            "--pay-all", action="store_true", help="record that every person was paid what they are owed"
        )
        parser.add_argument("--reference", help="name of the payment at your bank; the same reference pays once")
        parser.add_argument("--dry-run", action="store_true", help="only print what --pay-all would record")
        parser.add_argument("--by", default="command line", help="who records it (command line)")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the table, one line per worker")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"], archived=True)
        if options["pay_all"] != (options["reference"] is not None):
            raise CommandError("Give --pay-all and --reference together.")
        if options["dry_run"] and not options["pay_all"]:
            raise CommandError("--dry-run needs --pay-all.")
        currency = current_settings(project.id)[1].currency
        if options["pay_all"]:
            self._pay_all(project, currency, options)
        rows = money_of(project.id)
        if options["csv"]:
            try:
                write_money(rows, options["csv"])
            except OSError as error:
                raise CommandError(f"{options['csv']} could not be written: {error}") from error
        self.stdout.write(money_text(rows, total(row.account for row in rows), currency))

    def _pay_all(self, project: Project, currency: str, options: dict[str, Any]) -> None:
        reference = options["reference"]
        try:
            if options["dry_run"]:
                due = payments_due(project.id, reference)
            else:
                due = pay_all(project_id=project.id, reference=reference, actor=options["by"])
        except LedgerError as error:
            raise CommandError(str(error)) from error
        would = "would be paid" if options["dry_run"] else "paid"
        for payment in due:
            self.stdout.write(
                f"{payment.worker}: {money(payment.cents, currency)} {would}, reference {payment.reference}"
            )
        cents = money(sum(payment.cents for payment in due), currency)
        self.stdout.write(f"{len(due)} {'worker' if len(due) == 1 else 'workers'}, {cents} {would}.")
        self.stdout.write(f"{_left_out(project.id, currency)}\n")


def _left_out(project_id: int, currency: str) -> str:
    """Describe what people from platforms are owed; empty if they are owed nothing."""
    others = left_to_platforms(project_id)
    if not others:
        return ""
    cents = money(sum(cents for _, cents in others), currency)
    return f"Left out: workers from platforms ({len(others)}), who are owed {cents}; see `{COMMAND} pay`.\n"
