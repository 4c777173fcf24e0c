"""python -m studies adaptive_frontier PATH: what the adaptive strategy reaches for how many judgments."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError
from simulation.compare_strategies import bed_image
from studies.linking.adaptive_frontier import STOPS, Fold, frontier, reliability_table, table


class Command(BaseCommand):
    help = "Compare the adaptive link strategy with greedy plus, with simulated workers and a prior from other images."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
        parser.add_argument("--folds", type=int, default=5, help="disjoint samples of images (5)")
        parser.add_argument("--images", type=int, default=100, help="images in each (100)")
        parser.add_argument("--fitted-on", type=int, default=200, metavar="N", help="images for the prior (200)")
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where the strategy stops asking"
        )
        parser.add_argument("--error", type=float, metavar="SHARE", help="share of wrong answers (as in table 2)")
        parser.add_argument("--seed", type=int, default=0, help="of the samples and the crowd (0)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the folds to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folds = self._folds(options, options["error"])
        except (SourceError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Simulated workers, real mentions: {len(folds)} disjoint folds of {options['images']} images, "
            f"the prior from {options['fitted_on']} others."
        )
        self.stdout.write(table(folds))
        middle = sorted(folds[0].points)[len(folds[0].points) // 2]
        self.stdout.write(f"\nReliability of the confidence at stop {middle:g}:\n{reliability_table(folds, middle)}")
        if options["json"]:
            rows = [{"greedy plus": fold.greedy_plus, "points": fold.points} for fold in folds]
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _folds(self, options: dict[str, Any], error: float | None) -> list[Fold]:
        path = options["path"]
        if not path.is_dir():
            raise CommandError(f"{path}: there is no such folder.")
        if error is not None and not 0 < error < 0.45:
            raise CommandError(f"--error {error}: give a share above 0 and below 0.45.")
        bed = [bed_image(image) for image in read_flickr30k(path) if isinstance(image, DatasetImage)]
        with tqdm(total=options["folds"] * options["images"], unit="image", disable=None) as bar:
            return list(
                frontier(
                    bed,
                    folds=options["folds"],
                    images=options["images"],
                    fitted_on=options["fitted_on"],
                    stops=options["stops"],
                    errors=None if error is None else {"false_negative": error, "false_positive": error},
                    seed=options["seed"],
                    done=lambda number, of: bar.update(number - bar.n),
                )
            )
