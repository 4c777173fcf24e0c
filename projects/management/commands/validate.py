"""manage.py validate FILE: say what is wrong with a file of JSON or JSON Lines, and where."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.formats.schema.kind import Unreadable
from projects.schemas import kinds, validate_file

MAX_PROBLEMS_SHOWN = 20


class Command(BaseCommand):
    help = "Say what is wrong with a file that is imported, exported or evaluated, and where. Needs no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--as", dest="name", choices=kinds(), default="", help="its kind (the one that it looks like)"
        )
        parser.add_argument(
            "--most",
            type=int,
            default=MAX_PROBLEMS_SHOWN,
            metavar="N",
            help=f"problems that are shown ({MAX_PROBLEMS_SHOWN})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        try:
            with tqdm(unit="line", desc="validate", disable=None) as bar:
                checked = validate_file(path, options["name"], most=options["most"], step=bar.update)
        except Unreadable as error:
            raise CommandError(str(error)) from error
        for fault in checked.faults:
            self.stderr.write(fault.at(path))
        what = f"{checked.lines:,} line{'s' * (checked.lines != 1)}" if checked.kind.is_lines else "a file"
        if checked.count:
            more = f", of which {len(checked.faults)} are shown" if len(checked.faults) < checked.count else ""
            problems = f"{checked.count:,} problem{'s' * (checked.count != 1)}"
            raise CommandError(f"{problems} in {what} of {checked.kind.name}{more}.")
        self.stdout.write(f"valid: {what} of {checked.kind.name}")
