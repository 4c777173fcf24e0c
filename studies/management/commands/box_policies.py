"""python -m studies box_policies: worker-seconds and right chains of the paper's loop and of the belief policy."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from tqdm import tqdm

from studies.box_worlds import WORLD, made_chain
from studies.command import StudyCommand
from studies.whole_campaign.campaign_cost import Campaign, campaign_images, campaigns, confidence_tables, cost_table
from studies.whole_campaign.programs import NO_PROGRAMS, Programs, add_programs, programs_of, settings_for

BELIEF = {"box_policy": "belief"}


class Command(StudyCommand):
    help = "Compare the paper's loop of the box tasks with the belief policy, on made-up chains."
    least: ClassVar[Mapping[str, float]] = {"chains": 1, "seeds": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--chains", type=int, default=1500, help="chains of each world and seed (1500)")
        parser.add_argument("--seeds", type=int, default=3, help="crowds and chains (3)")
        parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
        parser.add_argument("--sure", type=float, nargs="+", default=[0.9], help="settings of belief (0.9)")
        add_programs(parser)

    def study(self, options: dict[str, Any]) -> Any:
        programs = programs_of(options)
        chosen, seeds = ways(options["sure"]), range(options["seed"], options["seed"] + options["seeds"])
        if programs != NO_PROGRAMS:
            chosen = ways_with(options["sure"], programs)
        self.say(f"Simulated workers and chains: {options['chains']} chains, {len(seeds)} seeds from {seeds[0]}.")
        found: list[Campaign] = []
        with tqdm(total=len(chosen) * len(seeds) * options["chains"], unit="chain", disable=None) as bar:
            given: dict[str, Any] = {"folds": 1, "gold": False, "programs": programs, "done": bar.update}
            for seed in seeds:
                bed = campaign_images(made_chain(WORLD, seed, number) for number in range(options["chains"]))
                found += campaigns(bed, chosen, images=len(bed), seed=seed, **given)
        self.say(f"\nA chain:\n{cost_table(found)}\n\n{confidence_tables(found)}")
        return [{"way": campaign.way, "seed": campaign.seed, **campaign.figures()} for campaign in found]


def ways(sures: Iterable[float]) -> dict[str, dict[str, Any]]:
    """Return the settings of the paper's loop, and of belief with the shipped prior alone and learning."""
    found: dict[str, dict[str, Any]] = {"paper's loop": {}}
    for sure in sures:
        found[f"belief, {sure:g}"] = {**BELIEF, "box_sure": sure, "refit_boxes": False}
        found[f"belief, {sure:g}, learning"] = {**BELIEF, "box_sure": sure}
    return found


def ways_with(sures: Iterable[float], programs: Programs) -> dict[str, dict[str, Any]]:
    """Return the settings of belief, learning, with these programs at work."""
    return {f"belief, {sure:g}, with programs": settings_for(programs, {**BELIEF, "box_sure": sure}) for sure in sures}
