"""manage.py simulate PROJECT --crowd perfect|paper: a virtual crowd annotates a project that has gold."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline.management.find_project import find_project
from simulation.crowd import CROWDS
from simulation.report import as_json, as_text
from simulation.score import score
from simulation.simulate import SimulationError, load_gold, simulate


class Command(BaseCommand):
    help = "Let virtual workers answer every question of a project, until nothing is open. Simulated, seeded."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--crowd", choices=list(CROWDS), required=True)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--most", type=int, help="stop after about this many judgments (0 or more)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures and lists to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["most"] is not None and options["most"] < 0:
            raise CommandError(f"--most {options['most']}: give 0 or more.")
        project = find_project(options["project"])
        try:
            with tqdm(unit="judgment", desc="simulate", disable=None) as bar:
                outcome = simulate(
                    project=project,
                    crowd=options["crowd"],
                    seed=options["seed"],
                    most=options["most"],
                    step=bar.update,
                )
            data = as_json(project, outcome, score(project, load_gold(project)))
            if options["json"]:
                options["json"].write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        except (SimulationError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Every judgment so far is stored; run the command again to go on.") from None
        self.stdout.write(as_text(data))
