"""python -m studies link_skill PATH: how well workers' skills are estimated without gold."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulation.compare_strategies import bed_image
from studies.linking.link_skill import compare, table
from studies.real_images import add_path, read_images


class Command(BaseCommand):
    help = "Estimate the skills of simulated workers, some of them spammers, from their answers to adaptive links."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_path(parser)
        parser.add_argument("--images", type=int, default=150, help="images that are asked about (150)")
        parser.add_argument("--fitted-on", type=int, default=150, metavar="N", help="others, for the prior (150)")
        parser.add_argument("--workers", type=int, default=20, help="(20)")
        parser.add_argument("--spammers", type=int, default=4, help="of the workers (4)")
        parser.add_argument("--seed", type=int, default=0, help="of the images and the crowd (0)")

    def handle(self, *args: Any, **options: Any) -> None:
        bed = [bed_image(image) for image in read_images(options["path"])]
        named = ("images", "fitted_on", "workers", "spammers", "seed")
        try:
            answers, rows = compare(bed, **{name: options[name] for name in named})
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{answers:,} simulated answers to real mentions, no gold. Shares of right answers, estimated:"
        )
        self.stdout.write(table(rows))
