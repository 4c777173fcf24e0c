"""manage.py export_dataset PROJECT OUT --format FORMAT: write the export into a folder or a file of the server."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from annotation.models import Project
from exchange.atomic import TargetExists
from exchange.export_dataset import export_dataset
from exchange.registry import FORMATS
from projects.data.export_operations import EXPORT_FORMATS, NewExport, export_choices, make_export
from projects.management.command_for import OperationCommand
from projects.operation import COMMAND_LINE
from runtime.words import counted

KEPT_PICTURES = " The pictures so far are kept beside it, and the same command goes on behind them."


class Command(OperationCommand):
    """Writes what pages and calls put into an archive."""

    operation = make_export
    help = "Write a project's finished images as a data set. The target appears when everything is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        files = ", ".join(name for name in EXPORT_FORMATS if FORMATS[name].ending)
        words = f"a new folder, or a new file for {files} without pictures and parts"
        parser.add_argument("out", type=Path, help=words)

    def run_operation(self, project: Project, inputs: NewExport, options: dict[str, Any]) -> dict[str, Any]:
        images, chosen = export_choices(project, inputs, COMMAND_LINE)
        out: Path = options["out"]
        with tqdm(total=project.images.count(), unit="image", desc="export", disable=None) as bar:
            try:
                report = export_dataset(
                    project=project,
                    target=out,
                    export_format=inputs.format,
                    include_unmerged=inputs.include_unmerged,
                    only=images,
                    options=chosen,
                    step=bar.update,
                )
            except (TargetExists, ValueError, OSError) as error:
                raise CommandError(str(error)) from error
            except KeyboardInterrupt:
                data_format = FORMATS[inputs.format]
                with_pictures = data_format.with_pictures or chosen.pictures is not None
                kept = KEPT_PICTURES if with_pictures and not data_format.packing else ""
                raise CommandError(f"Stopped. {out} was not written.{kept}") from None
        self.stdout.write(f"{project.name}: {counted(report.images, 'image')} written to {out}.")
        if report.left_out:
            left_out = f"{report.left_out:,} (--include-unmerged includes them)"
            self.stdout.write(f"  Images left out that are not merged yet: {left_out}.")
        for note in report.notes:
            self.stdout.write(f"  {note}")
        return asdict(report)
