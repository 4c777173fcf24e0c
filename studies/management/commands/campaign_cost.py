"""python -m studies campaign_cost PATH: worker-seconds, chains and boxes of whole campaigns."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from simulation.programs import AssumedErrors, grid
from studies.command import StudyCommand, add_folds, read_images, settings_in
from studies.whole_campaign.campaign_cost import (
    WAYS,
    Campaign,
    band_lines,
    campaign_images,
    campaigns,
    confidence_tables,
    cost_table,
)
from studies.whole_campaign.programs import add_programs, programs_of, settings_for

EXAMPLE = '{"strategy": "adaptive"}'


class Command(StudyCommand):
    help = "Let simulated workers annotate real images from the first link to merging, once for each way to ask."

    def add_options(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument("--no-gold", action="store_true", help="use the default link prior instead of a fitted one")
        parser.add_argument(
            "--way",
            nargs=2,
            action="append",
            default=[],
            metavar=("NAME", "JSON"),
            help='compare these settings, too: --way belief \'{"strategy": "adaptive", "box_policy": "belief"}\'',
        )
        parser.add_argument("--only", action="store_true", help="compare only the ways given by --way")
        add_programs(parser)
        parser.add_argument(
            "--placed", type=float, metavar="SHARE", help="of the phrases, that a program puts into their chains"
        )

        parser.add_argument(
            "--band", action="store_true", help="a model annotator with each of the errors that are assumed elsewhere"
        )

    def study(self, options: dict[str, Any]) -> Any:
        programs, ways = programs_of(options), {} if options["only"] else dict(WAYS)
        if options["band"] and programs.wrong is not None:
            raise CommandError("--band goes over errors of its own: leave --annotator out.")
        assumed: list[AssumedErrors | None] = [*grid()] if options["band"] else [None]
        every = [programs if errors is None else programs.erring(errors) for errors in assumed]
        for name, text in options["way"]:
            ways[name] = settings_for(every[0], settings_in(f"--way {name}", text, EXAMPLE))
        if not ways:
            raise CommandError("--only: give at least one --way.")
        bed = campaign_images(read_images(options["path"]))
        given = {name: options[name] for name in ("folds", "images", "seeds", "seed")}
        total = options["folds"] * options["images"] * options["seeds"] * len(ways) * len(every)
        prior = "the default link prior" if options["no_gold"] else "a link prior from the other images"
        self.say(
            f"Simulated workers, real images: {options['folds']} disjoint folds of {options['images']} images with "
            f"{options['seeds']} crowds each, {prior}. Seconds and judgments are people's, for one image."
        )
        rows: list[dict[str, Any]] = []
        with tqdm(total=total, unit="image", disable=None) as bar:
            given |= {"gold": not options["no_gold"], "done": bar.update}
            for errors, at_work in zip(assumed, every, strict=True):
                found = list(campaigns(bed, ways, programs=at_work, **given))
                self.say(_tables(found) if errors is None else band_lines(found, errors))
                values = {} if errors is None else errors._asdict()
                rows += [
                    {"way": one.way, "fold": one.fold, "seed": one.seed, **values, **one.figures()} for one in found
                ]
        return rows


def _tables(found: Sequence[Campaign]) -> str:
    return f"{cost_table(found)}\n\n{confidence_tables(found)}"
