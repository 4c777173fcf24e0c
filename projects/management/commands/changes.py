"""manage.py changes PROJECT [--out FILE]: write what a check has changed of a data set's labels."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.atomic import TargetExists, atomic_file
from pipeline.management.find_project import find_project
from projects.corrected.changes import NothingCheckedError, lines_of


class Command(BaseCommand):
    help = "Write what a check has changed of a data set's labels: changes.jsonl, a JSON object a line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of a project that checks a data set")
        parser.add_argument("--out", type=Path, metavar="FILE", help="a new file; without it, to the output")

    def handle(self, *args: Any, **options: Any) -> None:
        project, out = find_project(options["project"]), options["out"]
        try:
            if out is None:
                for line in lines_of(project):
                    self.stdout.write(line, ending="")
                return
            with atomic_file(out) as path, path.open("w", encoding="utf-8", newline="\n") as file:
                count = sum(1 for line in tqdm(lines_of(project), unit="change", disable=None) if file.write(line))
        except (NothingCheckedError, TargetExists, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name}: {count} changes written to {out}.")
