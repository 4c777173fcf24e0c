"""python -m studies link_skill PATH: how well workers' skills are estimated without gold."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError
from simulation.compare_strategies import bed_image
from studies.linking.link_skill import compare, table


class Command(BaseCommand):
    help = "Estimate the skills of simulated workers, some of them spammers, from their answers to adaptive links."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
        parser.add_argument("--images", type=int, default=150, help="images that are asked about (150)")
        parser.add_argument("--fitted-on", type=int, default=150, metavar="N", help="others, for the prior (150)")
        parser.add_argument("--workers", type=int, default=20, help="(20)")
        parser.add_argument("--spammers", type=int, default=4, help="of the workers (4)")
        parser.add_argument("--seed", type=int, default=0, help="of the images and the crowd (0)")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["path"]
        if not path.is_dir():
            raise CommandError(f"{path}: there is no such folder.")
        named = ("images", "fitted_on", "workers", "spammers", "seed")
        try:
            bed = [bed_image(image) for image in read_flickr30k(path) if isinstance(image, DatasetImage)]
            answers, rows = compare(bed, **{name: options[name] for name in named})
        except (SourceError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{answers:,} simulated answers to real mentions, no gold. Shares of right answers, estimated:"
        )
        self.stdout.write(table(rows))
