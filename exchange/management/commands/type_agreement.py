"""manage.py type_agreement PATH: compare the types from the dictionaries with those of a data set."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.rules.dictionaries import load_dictionaries
from exchange.checks import SourceError
from exchange.dataset import DatasetImage, Problem
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.type_agreement import count_type_agreement, describe_type_agreement


class Command(BaseCommand):
    help = "Compare the types from the dictionaries with those in a Flickr30k Entities folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder with Sentences/ and Annotations/")
        parser.add_argument("--json", type=Path, help="also write all counts and differences to this file")
        parser.add_argument(
            "--half",
            choices=["first", "second"],
            help="use half of the images, by a hash of their names: edit the dictionaries on one, measure on the other",
        )

    def handle(self, *, path: Path, json: Path | None, half: str | None, **_: Any) -> None:
        if not path.is_dir():
            raise CommandError(f"{path}: there is no such folder. Give one that holds Sentences/ and Annotations/.")
        try:
            agreement = count_type_agreement(self._images(path, half), load_dictionaries())
        except SourceError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(describe_type_agreement(agreement))
        if json:
            _write(json, agreement.to_json())
            self.stdout.write(f"Wrote {json}")

    def _images(self, path: Path, half: str | None) -> Iterator[DatasetImage]:
        for read in read_flickr30k(path):
            if isinstance(read, Problem):
                self.stderr.write(str(read))
            elif half is None or _half(read.name) == half:
                yield read


def _half(name: str) -> str:
    return ("first", "second")[hashlib.sha256(name.encode()).digest()[0] % 2]


def _write(path: Path, data: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror}).") from error
