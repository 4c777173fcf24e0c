"""python -m studies link_models PATH: the answers about links that a model annotator saves people."""

from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.command import StudyCommand, add_folds, read_images
from studies.linking.with_model import cost_lines, linked_folds
from studies.whole_campaign.campaign_cost import campaign_images

STOPS = (0.5, 0.3, 0.2, 0.12, 0.06, 0.03)


class Command(StudyCommand):
    help = "Link real mentions adaptively in a new project, with simulated workers, without a program and beside some."
    least: ClassVar = {"seeds": 1}

    def add_options(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument(
            "--annotator",
            type=float,
            nargs="+",
            default=[0.08, 0.5],
            metavar="SHARE",
            help="of wrong answers of a model annotator; each is tried alone (0.08 0.5)",
        )
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where the strategy stops asking"
        )

    def study(self, options: dict[str, Any]) -> Any:
        if wrong := [one for one in options["annotator"] if not 0 <= one <= 1]:
            raise CommandError(f"--annotator {wrong[0]:g}: give a share from 0 to 1.")
        ways = {
            "no program": None,
            **{f"model annotator, {share:.0%} wrong": share for share in options["annotator"]},
        }
        bed = campaign_images(read_images(options["path"]))
        given = {name: options[name] for name in ("folds", "images", "seeds", "seed", "stops")}
        total = options["folds"] * options["images"] * options["seeds"] * len(ways) * len(options["stops"])
        with tqdm(total=total, unit="image", disable=None) as bar:
            found = list(linked_folds(bed, ways, done=bar.update, **given))
        self.say(
            f"Simulated workers and programs, real mentions: {options['folds']} disjoint folds of {options['images']}"
            f" images with {options['seeds']} crowds each, a new project that refits. Cost: people's judgments for 100"
            " pairs that can corefer."
        )
        self.say(cost_lines(found))
        return [_row(*one) for one in ((one, one.point) for one in found)]


def _row(one: Any, point: Any) -> dict[str, Any]:
    names = ("way", "stop", "fold", "seed", "judgments", "by_model_annotator")
    said = sum(case.chance for case in one.chains) / len(one.chains)
    return {name: getattr(one, name) for name in names} | {"cost": point.cost, "exact": point.chains, "said": said}
