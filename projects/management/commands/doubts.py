"""manage.py doubts PROJECT: write the labels of a checked data set, the most doubtful first."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from exchange.atomic import TargetExists, atomic_file
from pipeline.management.find_project import find_project
from pipeline.project.settings_versions import checked_source
from pipeline.record.write_doubts import refill_doubts
from projects.label_errors.most_doubtful import read_state
from projects.label_errors.operations import doubt_lines


class Command(BaseCommand):
    help = "Write the labels of a checked data set as JSON lines, the most doubtful first, with chances and reasons."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of a project that checks a data set")
        parser.add_argument("--out", type=Path, metavar="FILE", help="a new file; without it, to the output")
        parser.add_argument("--limit", type=int, metavar="N", help="write the N most doubtful labels alone")
        parser.add_argument("--anew", action="store_true", help="compute all doubts anew first")

    def handle(self, *args: Any, **options: Any) -> None:
        project, out, limit = find_project(options["project"]), options["out"], options["limit"]
        if limit is not None and limit < 1:
            raise CommandError(f"--limit {limit}: give a number from 1.")
        source = checked_source(project.pk)
        if not source:
            raise CommandError(
                f"The project {project.name} checks no data set. Import one with: "
                f"import_dataset {project.name} SOURCE --as check"
            )
        if options["anew"]:
            refill_doubts(project)
        lines = doubt_lines(project, limit)
        if out is None:
            for line in lines:
                self.stdout.write(line, ending="")
            return
        try:
            with atomic_file(out) as path, path.open("w", encoding="utf-8", newline="\n") as file:
                count = sum(1 for line in tqdm(lines, unit="label", disable=None) if file.write(line))
        except (TargetExists, OSError) as error:
            raise CommandError(str(error)) from error
        expected = read_state(project, source).expected
        self.stdout.write(
            f"{project.name}: {count} of {expected.labels} labels written to {out}. Expected to be wrong: "
            f"{expected.wrong:.1f} ({expected.low:.1f} to {expected.high:.1f})."
        )
