"""python -m studies box_policies: worker-seconds and right chains of the paper's loop and of the belief policy."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.boxes.world import WORLDS, made_chain
from studies.command import StudyCommand
from studies.whole_campaign.campaign_cost import Campaign, campaign_images, campaigns, confidence_tables, cost_table
from studies.whole_campaign.colleagues import JUROR, NO_PROGRAMS, Programs

BELIEF = {"box_policy": "belief"}


class Command(StudyCommand):
    help = "Compare the paper's loop of the box tasks with the belief policy, in made-up worlds of chains."
    least: ClassVar[Mapping[str, float]] = {"chains": 1, "seeds": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--chains", type=int, default=1500, help="chains of each world and seed (1500)")
        parser.add_argument("--seeds", type=int, default=3, help="crowds and chains (3)")
        parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
        parser.add_argument("--sure", type=float, nargs="+", default=[0.9], help="settings of belief (0.9)")
        parser.add_argument("--proposer", type=float, metavar="SHARE", help="a program whose boxes are good this often")
        parser.add_argument(
            "--juror", type=float, metavar="SHARE", help="a program whose judgments are wrong this often"
        )
        parser.add_argument("--turns", type=int, metavar="N", help="the juror guesses from this chain on")
        parser.add_argument(
            "--blind", type=float, default=0.0, metavar="SHARE", help="of the proposer's bad boxes, called good besides"
        )
        parser.add_argument(
            "--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS), metavar="NAME", help=f"of {[*WORLDS]}"
        )

    def study(self, options: dict[str, Any]) -> Any:
        programs = programs_of(options)
        chosen, seeds, figures = ways(options["sure"]), range(options["seed"], options["seed"] + options["seeds"]), []
        if programs != NO_PROGRAMS:
            chosen = ways_with(options["sure"], programs)
        total = len(options["worlds"]) * len(chosen) * len(seeds) * options["chains"]
        self.say(f"Simulated workers and chains: {options['chains']} chains, {len(seeds)} seeds from {seeds[0]}.")
        with tqdm(total=total, unit="chain", disable=None) as bar:
            for world in options["worlds"]:
                found: list[Campaign] = []
                for seed in seeds:
                    bed = campaign_images(
                        made_chain(WORLDS[world], seed, number) for number in range(options["chains"])
                    )
                    found += campaigns(
                        *(bed, chosen),
                        folds=1,
                        images=len(bed),
                        seed=seed,
                        gold=False,
                        programs=programs,
                        done=bar.update,
                    )
                self.say(f"\nWorld {world}, a chain:\n{cost_table(found)}\n\n{confidence_tables(found)}")
                figures += [{"world": world, "way": one.way, "seed": one.seed, **one.figures()} for one in found]
        return figures


def ways(sures: Iterable[float]) -> dict[str, dict[str, Any]]:
    """Return the settings of the paper's loop, and of belief with the shipped prior alone and learning."""
    found: dict[str, dict[str, Any]] = {"paper's loop": {}}
    for sure in sures:
        found[f"belief, {sure:g}"] = {**BELIEF, "box_sure": sure, "refit_boxes": False}
        found[f"belief, {sure:g}, learning"] = {**BELIEF, "box_sure": sure}
    return found


def programs_of(options: dict[str, Any]) -> Programs:
    """Return the programs that the options describe. Raises CommandError that names a wrong one."""
    for name in ("proposer", "juror", "blind"):
        if options[name] is not None and not 0 <= options[name] <= 1:
            raise CommandError(f"--{name} {options[name]:g}: give a share from 0 to 1.")
    if options["juror"] is None and (options["turns"] or options["blind"]):
        raise CommandError("--turns and --blind describe a juror: give --juror, too.")
    wrong, turns = options["juror"], options["turns"]
    juror = None if wrong is None else lambda chain: wrong if turns is None or chain < turns else 0.5
    return Programs(options["proposer"], juror, options["blind"])


def ways_with(sures: Iterable[float], programs: Programs) -> dict[str, dict[str, Any]]:
    """Return the settings of belief, learning, with these programs at work."""
    at_work = {"proposals": programs.good is not None, "jurors": [] if programs.wrong is None else [JUROR]}
    return {f"belief, {sure:g}, with programs": {**BELIEF, "box_sure": sure, **at_work} for sure in sures}
