"""python -m studies narrations: what links cost in long captions with pronouns, sets and parts."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from simulation.scenes.scene import PARTS, write_source
from studies.command import StudyCommand
from studies.linking.narrations import FIRST, STOPS, measure, table


class Command(StudyCommand):
    help = "Link made narrations of 150 words by the adaptive strategy beyond the rules, with simulated workers."
    least = {"images": 1, "seeds": 1, "seed": 0}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--images", type=int, default=12, help="scenes in each set, of one to five narrations (12)")
        parser.add_argument("--seeds", type=int, default=5, metavar="N", help="sets, each with a crowd of its own (5)")
        parser.add_argument("--seed", type=int, default=0, help="the first of them (0)")
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where the strategy stops asking"
        )

        parser.add_argument(
            "--write", type=Path, metavar="FOLDER", help="only write the first set as a source to import, with pictures"
        )

    def study(self, options: dict[str, Any]) -> Any:
        if options["write"]:
            write_source(options["write"], FIRST + options["seed"], options["images"], narrated=True)
            self.say(f"{options['write']}: {options['images']} narrated scenes; {PARTS} holds which chains are parts.")
            return {"images": options["images"]}
        stops = options["stops"]
        if not all(0 < stop < 1 for stop in stops):
            raise CommandError("--stops: give numbers above 0 and below 1.")
        seeds = range(options["seed"], options["seed"] + options["seeds"])
        with tqdm(total=options["images"] * len(seeds), unit="image", disable=None) as bar:
            runs = [measure(options["images"], seed, stops, bar.update) for seed in seeds]
        self.say(
            f"Made narrations of {options['images']} scenes, {len(seeds)} times, {sum(run.chains for run in runs):,} "
            f"chains; the crowd `paper`, the prior of a new project. Cost: judgments by all pairs of mentions."
        )
        self.say(table(runs))
        return [{"pairs": run.pairs, "chains": run.chains, "points": run.points} for run in runs]
