"""manage.py benchmark: how fast the pipeline is on this machine, beside the goals. Your data is not touched."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from studies.pipeline_speed.figure import machine
from studies.pipeline_speed.run import BENCHMARKS


class Command(BaseCommand):
    help = "Measure the pipeline's speed in throw-away databases, and print each figure beside its goal."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", choices=list(BENCHMARKS), action="append", help="may be given several times")
        parser.add_argument("--quick", action="store_true", help="small sizes: shows that it works, measures nothing")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        full = not options["quick"]
        try:
            if options["json"]:
                options["json"].touch()  # before the minutes of measuring
            about = machine()
            self._say(", ".join(f"{key} {value}" for key, value in about.items()))
            self._say("Times are measured on this machine; workers and boxes are simulated.")
            figures = []
            for name in options["only"] or BENCHMARKS:
                figure = (BENCHMARKS[name].full if full else BENCHMARKS[name].small)()
                self._say(figure.as_text(full_size=full))
                figures.append(figure.as_json(full_size=full))
            if options["json"]:
                text = json.dumps({"machine": about, "full_size": full, "figures": figures}, indent=2)
                options["json"].write_text(text + "\n", encoding="utf-8")
        except (OSError, DatabaseError) as error:
            raise CommandError(f"{error}".strip()) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. The throw-away databases are gone.") from None

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
