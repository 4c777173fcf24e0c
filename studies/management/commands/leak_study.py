"""python -m studies leak_study: look for signs of verification questions in all that a worker can see."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from tqdm import tqdm

from studies.command import StudyCommand
from studies.pipeline_speed.scratch import scratch_databases
from studies.question_leak.evidence import Evidence
from studies.question_leak.plants import BY_NAME, PLANTS
from studies.question_leak.study import VIEWS, Effort, look_through
from studies.question_leak.watch import WATCHED
from studies.question_leak.world import World, make_world

FINISHED, BEGUN = 24, 36
"""Scenes that a crowd finishes, and scenes with open questions."""
WORKERS, STOCK = 4, 60
"""Workers who are watched, and verification questions of each task."""
EFFORT = Effort(rounds=3, returns=3, left_out=3, ahead=6, short=12)


class Command(StudyCommand):
    help = "Watch simulated workers through every view, and report whether one gives verification questions away."

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--plant", nargs="+", choices=["all", *BY_NAME], default=[], metavar="NAME", help="also plant these leaks"
        )

    def study(self, options: dict[str, Any]) -> Any:
        plants = list(BY_NAME) if "all" in options["plant"] else options["plant"]
        with scratch_databases(1) as (database,):
            database.use()
            with tqdm(unit="judgment", desc="crowd", disable=None, leave=False) as bar:
                world = make_world(FINISHED, BEGUN, WORKERS, STOCK, bar.update)
            found = {"as it is": self._look(world, VIEWS, [])}
            for view, some in PLANTS.items():
                for name in some:
                    if name in plants:
                        found[f"planted: {name}"] = self._look(world, [view], [name])
        return {case: {view: asdict(one) for view, one in seen.items()} for case, seen in found.items()}

    def _look(self, world: World, views: Sequence[str], plants: list[str]) -> dict[str, Evidence]:
        title = f"planted: {plants[0]}" if plants else "as it is"
        total = EFFORT.steps(views, len(world.workers) * len(WATCHED))
        with tqdm(total=total, desc=title, disable=None, leave=False) as bar:
            found = look_through(world, views, plants=plants, effort=EFFORT, step=bar.update)
        self.say(title)
        for view, evidence in found.items():
            self.say(f"  {view:9} {evidence}")
        return found
