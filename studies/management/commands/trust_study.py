"""python -m studies trust_study: what the rules of trust reach with simulated workers, beside the paper's table 3."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.trust.crowd_mixes import Size
from studies.trust.trust_study import PARTS, QUICK, as_text, run_part


class Command(BaseCommand):
    help = "Simulate honest and bad workers under the rules of trust, and print the results (no database)."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", choices=list(PARTS), action="append", help="may be given several times")
        parser.add_argument("--seed", type=int, default=1, help="of the crowd (1)")
        parser.add_argument("--work", type=int, metavar="N", help="real questions that each worker would do (1000)")
        parser.add_argument(
            "--quick", action="store_true", help="a few workers: a trial run, without meaningful figures"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        small = QUICK if options["quick"] else Size()
        size = Size(people=small.people, work=options["work"] or small.work, seed=options["seed"])
        names = list(dict.fromkeys(options["only"] or PARTS))
        try:
            if options["json"]:
                options["json"].touch()  # fails before the minutes of simulating
            found = self._run(names, size)
            if options["json"]:
                text = json.dumps(
                    {"simulated": True, "seed": size.seed, "people": size.people, "work": size.work, **found}, indent=2
                )
                options["json"].write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped.") from None

    def _run(self, names: list[str], size: Size) -> dict[str, Any]:
        self.stdout.write(f"Simulated workers: {size.people} of each kind, up to {size.work} real questions each.")
        found = {}
        with tqdm(total=sum(len(PARTS[name].cases(size)) for name in names), unit="row", disable=None) as bar:
            for name in names:
                found[name] = run_part(name, size, bar.update)
                bar.clear()
                self.stdout.write(f"\n{PARTS[name].title} (simulated)\n\n{as_text(found[name])}")
        return found
