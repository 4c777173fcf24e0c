"""python -m studies link_calibration PATH: whether adaptive chains and links are right as often as they are said to."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from simulation.compare_strategies import bed_image
from studies.linking.adaptive_frontier import frontier
from studies.linking.calibration import calibration, calibration_table
from studies.linking.report import Fold
from studies.real_images import add_folds, read_images

STOPS = (0.3, 0.1, 0.05)


class Command(BaseCommand):
    help = "Compare the confidence of all chains and of single links with gold, with simulated workers."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument(
            "--fitted-on", type=int, default=400, metavar="N", help="images for the prior (400); 0: the default prior"
        )
        parser.add_argument("--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="where asking stops")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the tenths to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folds = self._folds(options)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Simulated workers, real mentions: {len(folds)} disjoint folds of {options['images']} images, the prior "
            f"from {options['fitted_on']} others. All chains count; intervals by resampled images."
        )
        rows: dict[str, Any] = {}
        for stop in sorted(options["stops"], reverse=True):
            chains = [case for fold in folds for case in fold.tallies[stop].chains]
            links = [case for fold in folds for case in fold.tallies[stop].links]
            self.stdout.write(f"\nChains, stop {stop:g}\n{calibration_table(chains)}")
            self.stdout.write(f"\nLinks, stop {stop:g}\n{calibration_table(links, 'links')}")
            rows[f"{stop:g}"] = {"chains": calibration(chains), "links": calibration(links)}
        if options["json"]:
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _folds(self, options: dict[str, Any]) -> list[Fold]:
        bed = [bed_image(image) for image in read_images(options["path"])]
        with tqdm(total=options["folds"] * options["images"], unit="image", disable=None) as bar:
            return list(
                frontier(
                    bed,
                    folds=options["folds"],
                    images=options["images"],
                    fitted_on=options["fitted_on"],
                    stops=options["stops"],
                    seed=options["seed"],
                    done=lambda number, of: bar.update(number - bar.n),
                )
            )
