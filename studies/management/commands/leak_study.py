"""python -m studies leak_study: look for signs of verification questions in all that a worker can see."""

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


class Command(StudyCommand):
    help = "Watch simulated workers through every view, and report whether one gives verification questions away."
    least = {"finished": 1, "begun": 1, "rounds": 1, "workers": 2}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--finished", type=int, default=24, help="scenes that a crowd finishes (24)")
        parser.add_argument("--begun", type=int, default=36, help="scenes with open questions (36)")
        parser.add_argument("--workers", type=int, default=4, help="workers who are watched, at least 2 (4)")
        parser.add_argument("--rounds", type=int, default=3, help="assignments of each worker and task (3)")
        parser.add_argument("--stock", type=int, default=60, help="verification questions of each task (60)")
        parser.add_argument("--views", nargs="+", choices=VIEWS, default=VIEWS, metavar="VIEW", help="which (all)")
        parser.add_argument(
            "--plant", nargs="+", choices=["all", *BY_NAME], default=[], metavar="NAME", help="also plant these leaks"
        )

    def study(self, options: dict[str, Any]) -> Any:
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
        return {case: {view: asdict(one) for view, one in seen.items()} for case, seen in found.items()}

    def _look(self, world: World, views: list[str], plants: list[str], effort: Effort) -> dict[str, Evidence]:
        title = f"planted: {plants[0]}" if plants else "as it is"
        total = effort.steps(views, len(world.workers) * len(WATCHED))
        with tqdm(total=total, desc=title, disable=None, leave=False) as bar:
            found = look_through(world, views, plants=plants, effort=effort, step=bar.update)
        self.say(title)
        for view, evidence in found.items():
            self.say(f"  {view:9} {evidence}")
        return found
