"""python -m studies adaptive_frontier PATH: what the adaptive strategy reaches for how many judgments."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from belief.links.text_features import alike_heads
from simulation.compare_strategies import GoldForm, bed_image
from studies.command import StudyCommand, add_folds, read_images
from studies.linking.adaptive_frontier import STOPS, frontier, reliability_table, table, with_vectors


class Command(StudyCommand):
    help = "Compare the adaptive link strategy with greedy plus, with simulated workers and a prior from other images."
    least = {"seeds": 1}

    def add_options(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument(
            "--fitted-on", type=int, default=200, metavar="N", help="images for the prior (200); 0: a new project"
        )
        parser.add_argument("--vectors", action="store_true", help="phrases have vectors (of the package wordllama)")
        parser.add_argument(
            "--gold",
            choices=[one.value for one in GoldForm],
            default=GoldForm.BY_TYPES.value,
            help="the form in which known chains count (by types)",
        )
        parser.add_argument(
            "--beyond-rules", action="store_true", help="also ask about chains that the rules keep apart"
        )
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where the strategy stops asking"
        )
        parser.add_argument("--error", type=float, metavar="SHARE", help="share of wrong answers (as in table 2)")

    def study(self, options: dict[str, Any]) -> Any:
        if options["error"] is not None and not 0 < options["error"] < 0.45:
            raise CommandError(f"--error {options['error']}: give a share above 0 and below 0.45.")
        bed = [bed_image(image, GoldForm(options["gold"])) for image in read_images(options["path"])]
        bed = with_vectors(bed) if options["vectors"] else bed
        # Chains are not read: a project has such a table on its first day.
        alike = alike_heads(image.mentions for image in bed)
        given = {name: options[name] for name in ("folds", "images", "fitted_on", "stops", "error")}
        given["beyond"] = options["beyond_rules"]
        total = options["folds"] * options["images"] * options["seeds"] * len(options["stops"])
        with tqdm(total=total, unit="image", disable=None) as bar:
            folds = [
                fold
                for seed in range(options["seed"], options["seed"] + options["seeds"])
                for fold in frontier(bed, alike=alike, seed=seed, done=bar.update, **given)
            ]
        self.say(_what_ran(options))
        self.say(table(folds))
        middle = sorted(folds[0].points)[len(folds[0].points) // 2]
        self.say(f"\nReliability of the confidence at stop {middle:g}:\n{reliability_table(folds, middle)}")
        return [{"greedy plus": fold.greedy_plus, "points": fold.points} for fold in folds]


def _what_ran(options: dict[str, Any]) -> str:
    seeds = f", {options['seeds']} times with other samples and crowds" if options["seeds"] > 1 else ""
    prior = f"the prior from {options['fitted_on']} others" if options["fitted_on"] else "the default prior"
    gold = f"chains {options['gold']}"
    beyond = ", asked about beyond the rules of links" if options["beyond_rules"] else ""
    prior += " with vectors of phrases" if options["vectors"] else ""
    folds = f"{options['folds']} disjoint folds of {options['images']} images"
    return f"Simulated workers, real mentions: {folds}{seeds}, {gold}{beyond}, {prior}, refitted on the answers so far."
