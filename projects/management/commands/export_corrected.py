"""manage.py export_corrected PROJECT SOURCE OUT: write a checked data set with the labels that changed."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.storage_error import StorageError
from exchange.atomic import TargetExists
from exchange.dataset import DatasetImage, Problem
from exchange.problems import SourceError
from exchange.registry import corrected_formats
from pipeline.management.find_project import find_project
from projects.corrected.export_corrected import export_corrected
from projects.predictions.import_predictions import ProgramError


class Command(BaseCommand):
    help = "Write a checked data set in its own format: what did not change keeps its bytes and ids."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project that checks the data set")
        parser.add_argument("source", help="the data set as it was imported: a folder, a .zip of one, or s3://…")
        parser.add_argument("out", type=Path, help="a new folder; with the ending .zip a file")
        parser.add_argument("--format", choices=corrected_formats(), help="format of the source (detected)")
        parser.add_argument("--pictures", action="store_true", help="copy the pictures, too")
        parser.add_argument(
            "--part", action="store_true", help="SOURCE is one of several from which the project was imported"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        try:
            done = export_corrected(
                project=project,
                source=options["source"],
                target=options["out"],
                source_format=options["format"],
                pictures=options["pictures"],
                part=options["part"],
                progress=self._progress,
            )
        except (SourceError, ProgramError, TargetExists, StorageError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {options['out']} was not written.") from None
        self.stdout.write(f"{project.name}: the corrected set is written to {options['out']}.")
        for sentence in done.sentences():
            self.stdout.write(f"  {sentence}")

    def _progress(self, images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
        return tqdm(images, total=total, unit="image", desc="corrected", disable=None)
