"""manage.py survey_export PROJECT --out FILE: write the votes of a survey, or the foils that they found."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.rules.states import Survey
from exchange.atomic import TargetExists, atomic_file
from exchange.formats import FORMATS
from exchange.formats.format import ExportOption, write_files
from pipeline.management.find_project import find_project
from surveys.votes import foils_of, lines_of

NEGATIVES = {known.name: known for known in FORMATS if ExportOption.NEGATIVES in known.options and known.ending}
"""Formats of one file, which need no pictures."""


class Command(BaseCommand):
    help = (
        "Write the votes of a survey, a JSON object a line, or the captions that most called wrong, as negatives. "
        "The file appears when everything is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the survey")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="a new file")
        parser.add_argument("--negatives", choices=[*NEGATIVES], help="of a caption check: the format of the foils")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if not project.survey:
            raise CommandError(
                f"{project.name} is an ordinary project, which has no votes of a survey. Its judgments are in "
                "`export_dataset --format jsonl`."
            )
        try:
            if options["negatives"]:
                if project.survey != Survey.CAPTION_CHECK:
                    raise CommandError(f"{project.name} is no caption check: only these find foils.")
                images = write_files(NEGATIVES[options["negatives"]], foils_of(project), options["out"])
                self.stdout.write(f"{project.name}: foils of {images} images written to {options['out']}.")
                return
            count = 0
            with atomic_file(options["out"]) as path, path.open("w", encoding="utf-8", newline="\n") as file:
                for line in tqdm(lines_of(project), unit="vote", desc="export", disable=None):
                    file.write(line)
                    count += 1
        except (TargetExists, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name}: {count} votes written to {options['out']}.")
