"""The skeleton of every study's command: options, checks, words as they come, tables, and figures in a file."""

import csv
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from tqdm import tqdm

from exchange.checks import SourceError
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.read import read_flickr30k


def with_spread(values: Sequence[float], digits: int = 1) -> str:
    """Format the mean and the standard deviation, which is 0 for a single value."""
    return f"{fmean(values):.{digits}f} ±{stdev(values) if len(values) > 1 else 0.0:.{digits}f}"


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


class StudyCommand(BaseCommand, ABC):
    """A command that measures something. Says what it finds, and writes the figures with `--json FILE`."""

    requires_system_checks = ()
    requires_migrations_checks = False
    needs_servers = False
    """Whether it runs on PostgreSQL and Redis alone."""
    least: ClassVar[Mapping[str, float]] = {}
    """The least number that an option takes."""

    def add_options(self, parser: CommandParser) -> None:
        """Add the study's own options."""

    @abstractmethod
    def study(self, options: dict[str, Any]) -> Any:
        """Measure, and return the figures as JSON. What goes wrong is raised as an error of Python."""

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_options(parser)
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        for name, least in self.least.items():
            if options[name] < least:
                raise CommandError(f"--{name.replace('_', '-')} {options[name]}: give at least {least}.")
        if self.needs_servers and (connection.vendor != "postgresql" or not os.environ.get("REDIS_URL")):
            raise CommandError("This study runs a server: use scripts/with_services.py, or `make bench-http` for that.")
        try:
            if options["json"]:
                options["json"].touch()  # fails before the minutes of measuring
            figures = self.study(options)
            if options["json"]:
                options["json"].write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
        except (OSError, ValueError, RuntimeError, DatabaseError) as error:
            raise CommandError(f"{error}".strip()) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. What was temporary is deleted.") from None

    def say(self, text: str) -> None:
        """Write a line at once, above a bar of progress."""
        with tqdm.external_write_mode(file=self.stdout):
            self.stdout.write(text)
        self.stdout.flush()


def add_folds(parser: CommandParser) -> None:
    """Add the options of a study on disjoint samples of the real images of a folder."""
    parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
    parser.add_argument("--folds", type=int, default=5, help="disjoint samples of images (5)")
    parser.add_argument("--images", type=int, default=100, help="images in each (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the samples and the crowd (0)")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="crowds, from --seed on (1)")


def settings_in(option: str, text: str, example: str) -> dict[str, Any]:
    """Return the settings of a project that an option holds as JSON. Raises ValueError, which names the option."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{option}: this is not JSON: {error}.") from error
    if not isinstance(values, dict):
        raise ValueError(f"{option}: give an object, as in {example}.")
    return values


def csv_rows(file: Path, columns: Sequence[str], folder: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of the line and the row. Raises ValueError for a file that is missing or lacks a column.

    `folder`: the words for the files that belong together.
    """
    if not file.is_file():
        raise ValueError(f"{file}: there is no such file: give a folder with {folder}.")
    with file.open(newline="", encoding="utf-8") as lines:
        table = csv.DictReader(lines)
        if absent := [name for name in columns if name not in (table.fieldnames or ())]:
            raise ValueError(f"{file}: the column {absent[0]!r} is missing.")
        for row in table:
            yield table.line_num, row


def read_images(path: Path) -> list[DatasetImage]:
    """Return the images of a folder that can be read. Raises ValueError if there are none."""
    if not path.is_dir():
        raise ValueError(f"{path}: there is no such folder.")
    try:
        found = [image for image in read_flickr30k(path) if isinstance(image, DatasetImage)]
    except SourceError as error:
        raise ValueError(str(error)) from error
    if not found:
        raise ValueError(f"{path}: no image could be read.")
    return found


def peak_kilobytes() -> int:
    """Return the peak memory of this process. getrusage would include the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
