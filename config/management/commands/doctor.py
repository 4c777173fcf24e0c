"""manage.py doctor: check each part of the service."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.doctor import PartState, check_parts


class Command(BaseCommand):
    help = "Check whether each part of the service works. The exit code is 1 if a part that is set up fails."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the reports as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        reports = list(check_parts())
        if options["json"]:
            self.stdout.write(json.dumps([report._asdict() for report in reports], indent=1))
        else:
            for report in reports:
                self.stdout.write(f"{report.state:<6} {report.part}: {report.words}")
        failing = [report.part for report in reports if report.state is PartState.FAILS]
        if failing:
            raise CommandError(f"These parts fail: {', '.join(failing)}.")
