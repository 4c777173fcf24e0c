"""manage.py export_corrected PROJECT SOURCE OUT: write a checked data set with the labels that changed."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from annotation.models import Project
from exchange.atomic import TargetExists
from exchange.checks import SourceError
from exchange.dataset import DatasetImage, Problem
from projects.corrected.export_corrected import export_corrected
from projects.data.export_operations import NewCorrectedSet, checked_input, make_corrected_set, source_of
from projects.management.command_for import OperationCommand
from projects.operation import COMMAND_LINE
from projects.predictions.import_predictions import ProgramError
from runtime.disk_errors import StorageError


class Command(OperationCommand):
    """Writes what pages and calls put into an archive."""

    operation = make_corrected_set
    help = "Write a checked data set in its own format: what did not change keeps its bytes and ids."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("out", type=Path, help="a new folder; with the ending .zip a file")

    def run_operation(self, project: Project, inputs: NewCorrectedSet, options: dict[str, Any]) -> dict[str, Any]:
        given = checked_input(project, inputs, COMMAND_LINE)
        try:
            source, out = source_of(project, given), options["out"]
            done = export_corrected(project=project, source=source, target=out, progress=_progress, **given.options)
        except (SourceError, ProgramError, TargetExists, StorageError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {options['out']} was not written.") from None
        self.stdout.write(f"{project.name}: the corrected set is written to {options['out']}.")
        for sentence in done.sentences():
            self.stdout.write(f"  {sentence}")
        return {"sentences": done.sentences()}


def _progress(images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
    return tqdm(images, total=total, unit="image", desc="corrected", disable=None)
