"""manage.py import_predictions PROJECT FILE --program NAME: let workers judge boxes that a program predicts."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.reading.predictions.box_forms import FORMS
from exchange.problems import Defect
from exchange.read_text import read_bytes
from pipeline.management.find_project import find_project
from pipeline.project.settings_versions import current_settings
from projects.predictions.enter_predictions import enter_predictions
from projects.predictions.import_predictions import PredictionError, import_predictions, in_words

MOST_BYTES = 500_000_000


class Command(BaseCommand):
    help = "Import the boxes and chains that a program predicts, from JSON lines of phrases or a COCO file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", type=Path, help=".jsonl: a phrase a line; .json: COCO results")
        parser.add_argument(
            "--boxes", choices=FORMS, default="", help="form of the boxes (xyxy for .jsonl, xywh for .json)"
        )
        parser.add_argument("--program", required=True, metavar="NAME", help="the program; made if there is none")

    def handle(self, *args: Any, project: str, file: Path, program: str, **options: Any) -> None:
        row = find_project(project)
        try:
            data = read_bytes(file, most=MOST_BYTES)
            kept = import_predictions(row, program, str(file), data, form=options["boxes"], by="command line")
        except Defect as defect:
            raise CommandError(f"{file} {defect.message}.") from defect
        except PredictionError as error:
            raise CommandError(str(error)) from error
        for sentence in in_words(kept):
            self.stdout.write(sentence)
        entered = enter_predictions(row.pk)
        self.stdout.write(f"Entered in the record of {entered:,} images.")
        if not current_settings(row.pk)[1].pre_annotations:
            self.stderr.write("! Workers still draw every box: switch on the setting pre_annotations.")
