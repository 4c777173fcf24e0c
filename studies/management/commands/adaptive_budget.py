"""python -m studies adaptive_budget PATH: chains right when the money ends, by the order in which links are asked."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from simulation.compare_strategies import bed_image
from studies.linking.budget import STOP, Order, compare, table
from studies.real_images import add_folds, read_images


class Command(BaseCommand):
    help = (
        "Compare the orders in which the links of the adaptive strategy are asked, with simulated workers: what is "
        "right when the money ends."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument("--fitted-on", type=int, default=200, metavar="N", help="images for the prior (200)")
        parser.add_argument(
            "--budgets", type=float, nargs="+", default=(10, 15, 20, 30), metavar="PERCENT", help="of all pairs"
        )
        parser.add_argument("--stop", type=float, default=STOP, metavar="BITS", help=f"end of asking ({STOP})")

    def handle(self, *args: Any, **options: Any) -> None:
        bed = [bed_image(image) for image in read_images(options["path"])]
        named = ("folds", "images", "fitted_on", "budgets", "stop", "seed")
        try:
            with tqdm(total=options["folds"] * len(Order), unit="order", disable=None) as bar:
                reached = compare(bed, **{name: options[name] for name in named}, done=bar.update)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Exact chains in percent when the money ends. Simulated workers, real mentions: {options['folds']} "
            f"disjoint folds of {options['images']} images, the prior from {options['fitted_on']} others."
        )
        self.stdout.write(table(reached, options["budgets"]))
