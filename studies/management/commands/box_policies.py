"""python -m studies box_policies: worker-seconds and right chains of the paper's loop and of the belief policy."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies.boxes.study import PAPER, Program, calibration, compare, table, ways
from studies.boxes.world import WORLDS


class Command(BaseCommand):
    help = "Compare the paper's loop of the box tasks with the belief policy, in simulated worlds of chains."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--chains", type=int, default=1500, help="chains of each world (1500)")
        parser.add_argument("--seeds", type=int, default=3, help="crews and chains (3)")
        parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
        parser.add_argument("--sure", type=float, nargs="+", default=[0.85, 0.88, 0.9, 0.95], help="settings of belief")
        parser.add_argument("--worlds", nargs="+", default=list(WORLDS), metavar="NAME", help=f"of {', '.join(WORLDS)}")
        parser.add_argument("--checks", type=int, default=40, help="known questions a worker (40); 0: no skill")
        parser.add_argument("--learn", action="store_true", help="let belief fit its prior to its own chains, too")
        parser.add_argument(
            "--proposals", type=float, nargs="+", default=[], metavar="SHARE", help="of a program's boxes that are good"
        )
        parser.add_argument("--scores", action="store_true", help="the programs give scores")
        parser.add_argument("--no-numbers", action="store_true", help="how many boxes programs propose is not weighed")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options)
        seeds = range(options["seed"], options["seed"] + options["seeds"])
        kind = {"scores": options["scores"], "numbers": not options["no_numbers"]}
        programs = [Program(share, **kind) for share in options["proposals"]]
        chosen = ways(options["sure"], learn=options["learn"], programs=programs)
        total = len(options["worlds"]) * len(chosen) * len(seeds) * options["chains"]
        with tqdm(total=total, unit="chain", disable=None) as bar:
            found = list(
                compare(
                    options["worlds"],
                    chosen,
                    seeds,
                    options["chains"],
                    checks=options["checks"],
                    step=bar.update,
                )
            )
        self.stdout.write(
            f"Simulated workers and chains: {options['chains']} chains, {len(seeds)} seeds from {options['seed']}."
        )
        self.stdout.write(table(found))
        for one in found:
            if not one.policy.startswith(PAPER):
                self.stdout.write(f"\nConfidence of {one.policy}, world {one.world}:\n{calibration(one.confidences)}")
        if options["json"]:
            rows = [
                {"world": one.world, "policy": one.policy, "seeds": [row.to_json() for row in one.rows]}
                for one in found
            ]
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _check(self, options: dict[str, Any]) -> None:
        for name in ("chains", "seeds"):
            if options[name] < 1:
                raise CommandError(f"--{name} {options[name]}: give at least 1.")
        for name in ("scores", "no_numbers"):
            if options[name] and not options["proposals"]:
                raise CommandError(f"--{name.replace('_', '-')} is about programs: give --proposals, too.")
        if options["checks"] < 0:
            raise CommandError(f"--checks {options['checks']}: give 0 or more.")
        if wrong := [sure for sure in options["sure"] if not 0.5 <= sure < 1]:
            raise CommandError(f"--sure {wrong[0]:g}: give numbers from 0.5 and below 1.")
        if wrong := [share for share in options["proposals"] if not 0 <= share <= 1]:
            raise CommandError(f"--proposals {wrong[0]:g}: give shares from 0 to 1.")
        if unknown := sorted(set(options["worlds"]).difference(WORLDS)):
            raise CommandError(f"--worlds {unknown[0]}: there is no such world; known are {', '.join(WORLDS)}.")
