"""manage.py export_dataset PROJECT OUT --format FORMAT"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.atomic import TargetExists
from exchange.export_dataset import FORMATS, export_dataset
from pipeline.management.find_project import find_project


class Command(BaseCommand):
    help = "Write a project's finished images as a data set. The target appears when all is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("out", type=Path, help="a folder that isn't there yet (jsonl: a file)")
        parser.add_argument("--format", choices=FORMATS, required=True)
        parser.add_argument("--include-unmerged", action="store_true", help="also images that are not finished")

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
                f"  {report.left_out} images are not merged yet and were left out (--include-unmerged takes them too)."
            )
