"""python -m studies alike_heads FILE TABLE: learn from captions alone which head nouns name one thing."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies.linking.heads_of_tokens import heads_of_tokens


class Command(BaseCommand):
    help = "Write how alike captions use two head nouns, for `adaptive_frontier --alike`."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="captions in Flickr30k's token format, perhaps gzipped")
        parser.add_argument("table", type=Path, help="the JSON file to write")
        parser.add_argument("--images", type=int, default=1_000_000, metavar="N", help="the first images (all)")

    def handle(self, *args: Any, **options: Any) -> None:
        with tqdm(unit="image", disable=None) as bar:
            try:
                table = heads_of_tokens(options["file"], options["images"], lambda number: bar.update(number - bar.n))
            except (OSError, ValueError) as error:
                raise CommandError(str(error)) from error
        options["table"].write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")
        self.stdout.write(f"{len(table):,} pairs of head nouns from {options['file']} in {options['table']}.")
