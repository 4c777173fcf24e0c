"""manage.py refs_splits SOURCE: write the parts (train, val, testA, ...) of RefCOCO's images, for exports."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exchange.checks import SourceError
from exchange.formats.refcoco import splits_of_refs
from runtime.words import counted

MAX_SPLITS_NAMED = 3


class Command(BaseCommand):
    help = "Print lines IMAGE,PART from a RefCOCO folder: save them, and give the file to export_dataset --splits."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", type=Path, help="a folder with refs*.json or refs*.p, and instances.json")

    def handle(self, *, source: Path, **_: Any) -> None:
        try:
            parts, several = splits_of_refs(source)
        except SourceError as error:
            raise CommandError(str(error)) from error
        for name, part in parts.items():
            self.stdout.write(f"{name},{part}")
        if several:
            named = ", ".join(several[:MAX_SPLITS_NAMED])
            self.stderr.write(f"No line for {counted(len(several), 'image')} with refs in several parts: {named}")
