"""python -m studies box_policies: worker-seconds and right chains of the paper's loop and of the belief policy."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.boxes.study import compare, policies, table
from studies.boxes.world import WORLDS
from studies.command import StudyCommand
from studies.linking.calibration import calibration_table


class Command(StudyCommand):
    help = "Compare the paper's loop of the box tasks with the belief policy, in simulated worlds of chains."
    least: ClassVar[Mapping[str, float]] = {"chains": 1, "seeds": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--chains", type=int, default=1500, help="chains of each world (1500)")
        parser.add_argument("--seeds", type=int, default=3, help="crews and chains (3)")
        parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
        parser.add_argument("--sure", type=float, nargs="+", default=[0.9], help="settings of belief (0.9)")
        parser.add_argument(
            "--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS), metavar="NAME", help=f"of {[*WORLDS]}"
        )

    def study(self, options: dict[str, Any]) -> Any:
        if wrong := [sure for sure in options["sure"] if not 0.5 <= sure < 1]:
            raise CommandError(f"--sure {wrong[0]:g}: give numbers from 0.5 and below 1.")
        seeds = range(options["seed"], options["seed"] + options["seeds"])
        total = len(options["worlds"]) * len(policies(options["sure"])) * len(seeds) * options["chains"]
        with tqdm(total=total, unit="chain", disable=None) as bar:
            found = list(compare(options["worlds"], options["sure"], seeds, options["chains"], bar.update))
        self.say(f"Simulated workers and chains: {options['chains']} chains, {len(seeds)} seeds from {seeds[0]}.")
        self.say(table(found))
        for one in found:
            if one.said:
                self.say(f"\nConfidence of {one.policy}, world {one.world}:\n{calibration_table(one.said)}")
        return [
            {"world": one.world, "policy": one.policy, "seeds": [row._asdict() for row in one.rows]} for one in found
        ]
