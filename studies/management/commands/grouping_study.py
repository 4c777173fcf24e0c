"""python -m studies grouping_study: what it saves and tells if the questions of one image follow one another."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.pipeline_speed.scratch import scratch_databases
from studies.question_leak.grouping import WAYS, Grouped, look_at
from studies.question_leak.world import make_world


class Command(BaseCommand):
    help = "Let questions of one image follow one another; report the time saved and whether it gives any away."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--finished", type=int, default=24, help="scenes that a crowd finishes (24)")
        parser.add_argument("--begun", type=int, default=36, help="scenes with open questions (36)")
        parser.add_argument("--workers", type=int, default=4, help="workers who are watched (4)")
        parser.add_argument("--rounds", type=int, default=3, help="assignments of each worker and task (3)")
        parser.add_argument("--stock", type=int, default=60, help="verification questions of each task (60)")
        parser.add_argument("--most", type=int, nargs="+", default=[2, 5], help="most questions in a row (2 5)")
        parser.add_argument(
            "--search", type=float, nargs="+", default=[1.0, 3.0], help="seconds to find one's way in a picture (1 3)"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        counts = [options[name] for name in ("finished", "begun", "rounds", "stock")]
        if min(counts) < 1 or min(options["workers"], *options["most"]) < 2 or min(options["search"]) <= 0:
            raise CommandError(
                "Give at least 1 scene of each kind, 1 round, 1 verification question, 2 workers, 2 questions in a "
                "row, and some seconds to search."
            )
        found: dict[str, Grouped] = {}
        with scratch_databases(1) as (database,):
            database.use()
            with tqdm(unit="judgment", desc="crowd", disable=None, leave=False) as bar:
                finished, begun, workers, stock = (options[name] for name in ("finished", "begun", "workers", "stock"))
                world = make_world(finished, begun, workers, stock, bar.update)
            for way in WAYS:
                for most in options["most"] if way != WAYS[0] else [1]:
                    name = way if most == 1 else f"{way}, {most} in a row"
                    found[name] = look_at(world, way, most, options["rounds"], options["search"])
                    self._write(name, found[name])
        if options["json"]:
            figures = {name: asdict(one) for name, one in found.items()}
            options["json"].write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")

    def _write(self, name: str, found: Grouped) -> None:
        self.stdout.write(f"{name}\n  {found.leak}")
        for task, gain in found.gains.items():
            saved = ", ".join(f"{share:.1%} at {search:g} s" for search, share in gain.saved.items())
            of = f"{gain.following:.0%} follow their picture ({gain.following_known:.0%} of the known)"
            self.stdout.write(f"  {task.label:17} {of}; saves {saved}")
