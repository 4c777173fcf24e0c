"""manage.py gold PROJECT FILE: take annotations of images from a file, and make known questions of them."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from accounts.may import Action, may
from pipeline.management.find_project import find_project
from projects.gold.sheets import GoldError, gold_report, store_finished_annotation
from projects.lifecycle.change_state import missing_known_questions


class Command(BaseCommand):
    help = "Take annotations of images, a JSON object a line, and report the known questions that there are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", nargs="?", type=Path, help="without it, only the report is printed")
        parser.add_argument("--by", metavar="USER", help="the reviewer who made the annotations")
        parser.add_argument("--annotators", type=int, choices=(1, 2), default=1, help="people for each image (1)")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        refused = 0
        if options["file"]:
            user = User.objects.filter(username=options["by"] or "").first()
            if user is None or not may(user, Action.REVIEW, project):
                raise CommandError("Name a reviewer or requester of the project: --by USER.")
            refused = self._take(project, options["file"], user, options["annotators"])
        found = gold_report(project)
        for task in found.tasks:
            needed = "none" if task.least_images == 0 else task.least_images or f"more than {found.most}"
            self.stdout.write(
                f"{task.task.label}: {task.verification} known questions, {task.tests} test questions; "
                f"images needed for {found.least}: {needed}"
            )
        for reason in missing_known_questions(project):
            self.stderr.write(f"! {reason}")
        if refused:
            raise CommandError(f"{refused} annotations were refused, each for the reason above. The others are kept.")

    def _take(self, project: Any, file: Path, user: User, annotators: int) -> int:
        """Take the annotations of a file, and return how many were refused."""
        taken = refused = 0
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                store_finished_annotation(project, json.loads(line), user, annotators=annotators)
                taken += 1
            except (GoldError, ValueError) as error:
                refused += 1
                self.stderr.write(f"! {file}:{number}: {error}")
        self.stdout.write(f"{taken} annotations taken, {refused} refused")
        return refused
