"""manage.py operations_reference: write the rows of operations into the page of the API."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from projects.operation_reference import page, page_with_rows
from projects.operations import OPERATIONS


class Command(BaseCommand):
    help = "Write the rows of operations in docs/reference/api.md from their declarations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        text = page_with_rows(OPERATIONS)
        if options["check"] and page().read_text("utf-8") != text:
            raise CommandError("api.md is not current. Run manage.py operations_reference.")
        page().write_text(text, encoding="utf-8")
        self.stdout.write(f"{len(OPERATIONS)} operations.")
