"""manage.py survey_export PROJECT --out FILE: write the votes of a survey."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.atomic import TargetExists, atomic_file
from pipeline.management.find_project import find_project
from surveys.votes import lines_of


class Command(BaseCommand):
    help = "Write the votes of a survey, a JSON object a line. The file appears when everything is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the survey")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="a new file")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if not project.survey:
            raise CommandError(
                f"{project.name} is an ordinary project, which has no votes of a survey. Its judgments are in "
                "`export_dataset --format jsonl`."
            )
        count = 0
        try:
            with atomic_file(options["out"]) as path, path.open("w", encoding="utf-8", newline="\n") as file:
                for line in tqdm(lines_of(project), unit="vote", desc="export", disable=None):
                    file.write(line)
                    count += 1
        except (TargetExists, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name}: {count} votes written to {options['out']}.")
