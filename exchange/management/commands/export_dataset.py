"""manage.py export_dataset PROJECT OUT --format FORMAT: write a project as a data set."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.atomic import TargetExists
from exchange.export_dataset import FORMATS, export_dataset
from pipeline.management.find_project import find_project


class Command(BaseCommand):
    help = "Write a project's finished images as a data set. The target appears when everything is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("out", type=Path, help="a new folder (jsonl: a new file)")
        parser.add_argument("--format", choices=FORMATS, required=True, help="format of the data set")
        parser.add_argument("--include-unmerged", action="store_true", help="include images that are not finished")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        with tqdm(total=project.images.count(), unit="image", desc="export", disable=None) as bar:
            try:
                report = export_dataset(
                    project=project,
                    target=options["out"],
                    export_format=options["format"],
                    include_unmerged=options["include_unmerged"],
                    step=bar.update,
                )
            except (TargetExists, ValueError, OSError) as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name}: {report.images} images written to {options['out']}.")
        if report.left_out:
            self.stdout.write(
                f"  {report.left_out} images are not merged yet and were left out (--include-unmerged includes them)."
            )
