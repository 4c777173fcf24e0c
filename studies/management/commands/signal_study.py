"""python -m studies signal_study: how often the signals of bad work find it, and how often they are wrong."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.signals.signal_study import HONEST, JUDGMENTS, as_json, signal_study, table

PROJECTS = 20


class Command(BaseCommand):
    help = "Plant bad workers among honest ones, all simulated, and count those that the signals find. No database."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--projects", type=int, default=PROJECTS, help=f"projects for each number of judgments ({PROJECTS})"
        )
        parser.add_argument("--judgments", type=int, nargs="+", default=JUDGMENTS, help="per worker (50 100 200 500)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        projects, judgments = options["projects"], options["judgments"]
        if projects < 1 or min(judgments) < 1:
            raise CommandError("Give at least one project and one judgment per worker.")
        try:
            if options["json"]:
                options["json"].touch()  # fails before the minutes of counting
            with tqdm(total=projects * len(judgments), unit="project", desc="signal_study", disable=None) as bar:
                rows = signal_study(projects, judgments=judgments, step=bar.update)
            if options["json"]:
                text = json.dumps(as_json(rows, projects), indent=2)
                options["json"].write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was stored.") from None
        self.stdout.write(
            f"Simulated: {projects} projects for each number of judgments per worker, {HONEST} honest workers in each. "
            "Percent of cases in which the signal is shown (95 % interval)."
        )
        self.stdout.write(table(rows))
