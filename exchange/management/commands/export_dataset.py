"""manage.py export_dataset PROJECT OUT --format FORMAT: write a project as a data set."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.models import Project
from exchange.atomic import TargetExists
from exchange.export_dataset import export_dataset
from exchange.export_options import AS_THEY_CAME, ExportOptions, draw_splits, read_shares, read_splits
from exchange.registry import FORMATS, export_formats
from pipeline.management.find_project import find_project

LEAST_SIDE = 16
"""Pixels."""
KEPT_PICTURES = " The pictures so far are kept beside it, and the same command goes on behind them."


class Command(BaseCommand):
    help = "Write a project's finished images as a data set. The target appears when everything is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        files = [name for name in export_formats() if FORMATS[name].ending]
        parser.add_argument("project", help="name of the project")
        parser.add_argument("out", type=Path, help=f"a new folder, or a new file for {', '.join(files)}")
        parser.add_argument("--format", choices=export_formats(), required=True, help="format of the data set")
        parser.add_argument("--include-unmerged", action="store_true", help="include images that are not finished")
        parser.add_argument(
            "--pictures",
            type=_pictures,
            metavar="original|PIXELS",
            help="write pictures, too: as they were imported, or with this longest side; OUT is a folder then",
        )
        parser.add_argument("--splits", type=Path, metavar="FILE", help="lines IMAGE,PART; OUT gets a part each")
        parser.add_argument(
            "--shares", metavar="PART=SHARE,…", help="draw the parts, such as train=0.8,val=0.1,test=0.1"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of --shares (0)")
        parser.add_argument(
            "--min-confidence", type=float, default=0.0, metavar="CHANCE", help="leave boxes out that are less sure"
        )
        parser.add_argument("--people-only", action="store_true", help="leave boxes out that no person drew or judged")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        try:
            chosen = _options(project, options)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        with tqdm(total=project.images.count(), unit="image", desc="export", disable=None) as bar:
            try:
                report = export_dataset(
                    project=project,
                    target=options["out"],
                    export_format=options["format"],
                    include_unmerged=options["include_unmerged"],
                    options=chosen,
                    step=bar.update,
                )
            except (TargetExists, ValueError, OSError) as error:
                raise CommandError(str(error)) from error
            except KeyboardInterrupt:
                data_format = FORMATS[options["format"]]
                with_pictures = data_format.with_pictures or chosen.pictures is not None
                kept = KEPT_PICTURES if with_pictures and not data_format.packing else ""
                raise CommandError(f"Stopped. {options['out']} was not written.{kept}") from None
        self.stdout.write(f"{project.name}: {report.images} images written to {options['out']}.")
        if report.left_out:
            self.stdout.write(
                f"  {report.left_out} images are not merged yet and were left out (--include-unmerged includes them)."
            )
        for note in report.notes:
            self.stdout.write(f"  {note}")


def _pictures(text: str) -> int:
    if text == "original":
        return AS_THEY_CAME
    if not text.isascii() or not text.isdigit() or int(text) < LEAST_SIDE:
        raise ArgumentTypeError(f"{text!r} is neither original nor a number of pixels from {LEAST_SIDE}")
    return int(text)


def _options(project: Project, options: dict[str, Any]) -> ExportOptions:
    """Return the options. Raises ValueError for a file of splits, shares or a chance that cannot be used."""
    if options["splits"] is not None and options["shares"] is not None:
        raise ValueError("Give either --splits, a file, or --shares, to draw the parts.")
    if not 0 <= options["min_confidence"] <= 1:
        raise ValueError(f"--min-confidence is {options['min_confidence']:g}: give a chance from 0 to 1.")
    splits: dict[str, str] = {}
    if options["splits"] is not None or options["shares"] is not None:
        rows = list(project.images.order_by("position").values_list("name", "path"))
        names = {path: name for name, path in rows if path} | {name: name for name, _ in rows}
        if options["splits"] is not None:
            splits = read_splits(options["splits"], names)
        else:
            splits = draw_splits(read_shares(options["shares"]), options["seed"], (name for name, _ in rows))
    return ExportOptions(options["pictures"], splits, options["min_confidence"], options["people_only"])
