"""python -m studies leak_study: look for signs of verification questions in all that a worker can see."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.pipeline_speed.scratch import scratch_databases
from studies.question_leak.evidence import Evidence
from studies.question_leak.plants import BY_NAME, PLANTS
from studies.question_leak.study import VIEWS, Effort, look_through
from studies.question_leak.watch import WATCHED
from studies.question_leak.world import World, make_world


class Command(BaseCommand):
    help = "Watch simulated workers through every view, and report whether one gives verification questions away."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--finished", type=int, default=24, help="scenes that a crowd finishes (24)")
        parser.add_argument("--begun", type=int, default=36, help="scenes with open questions (36)")
        parser.add_argument("--workers", type=int, default=4, help="workers who are watched, at least 2 (4)")
        parser.add_argument("--rounds", type=int, default=3, help="assignments of each worker and task (3)")
        parser.add_argument("--stock", type=int, default=60, help="verification questions of each task (60)")
        parser.add_argument("--views", nargs="+", choices=VIEWS, default=VIEWS, metavar="VIEW", help="which (all)")
        parser.add_argument(
            "--plant", nargs="+", choices=["all", *BY_NAME], default=[], metavar="NAME", help="also plant these leaks"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if min(options["finished"], options["begun"], options["rounds"]) < 1 or options["workers"] < 2:
            raise CommandError("Give at least 1 scene of each kind, 1 round and 2 workers.")
        rounds = options["rounds"]
        effort = Effort(rounds, rounds, rounds, ahead=2 * rounds, short=4 * rounds)
        plants = list(BY_NAME) if "all" in options["plant"] else options["plant"]
        with scratch_databases(1) as (database,):
            database.use()
            with tqdm(unit="judgment", desc="crowd", disable=None, leave=False) as bar:
                finished, begun, workers, stock = (options[name] for name in ("finished", "begun", "workers", "stock"))
                world = make_world(finished, begun, workers, stock, bar.update)
            found = {"as it is": self._look(world, options["views"], [], effort)}
            for view, some in PLANTS.items():
                for name in some:
                    if name in plants and view in options["views"]:
                        found[f"planted: {name}"] = self._look(world, [view], [name], effort)
        if options["json"]:
            rows = {case: {view: asdict(one) for view, one in seen.items()} for case, seen in found.items()}
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _look(self, world: World, views: list[str], plants: list[str], effort: Effort) -> dict[str, Evidence]:
        title = f"planted: {plants[0]}" if plants else "as it is"
        with tqdm(
            total=effort.steps(views, len(world.workers) * len(WATCHED)), desc=title, disable=None, leave=False
        ) as bar:
            found = look_through(world, views, plants=plants, effort=effort, step=bar.update)
        self.stdout.write(title)
        for view, evidence in found.items():
            self.stdout.write(f"  {view:9} {evidence}")
        return found
