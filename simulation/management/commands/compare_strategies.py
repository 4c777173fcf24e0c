"""manage.py compare_strategies PATH: table 2 of the paper with a simulated crowd."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exchange.checks import SourceError
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k
from simulation.compare_strategies import compare_strategies, table


class Command(BaseCommand):
    help = "Compare the four link strategies on gold chains, with simulated workers (table 2 of the paper)."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
        parser.add_argument("--images", type=int, default=200, help="images drawn for each seed (200)")
        parser.add_argument("--seeds", type=int, default=3, help="number of crowds and samples (3)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            images = list(self._read(options["path"]))
            if not images:
                raise CommandError(f"{options['path']}: no image could be read, so nothing can be compared.")
            if len(images) < options["images"]:
                self.stderr.write(f"The folder has only {len(images)} images: every seed takes all of them.")
            rows = compare_strategies(
                images, sample=options["images"], seeds=options["seeds"], progress=self.stderr.write
            )
            if options["json"]:
                options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        except (SourceError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        drawn = min(options["images"], len(images))
        self.stdout.write(f"Simulated workers, real mentions: {options['seeds']} samples of {drawn} images.")
        self.stdout.write(table(rows))

    def _read(self, path: Path) -> Iterator[DatasetImage]:
        if not path.is_dir():
            raise CommandError(f"{path}: there is no such folder.")
        for image in read_flickr30k(path):
            if isinstance(image, DatasetImage):
                yield image
            else:
                self.stderr.write(str(image))
