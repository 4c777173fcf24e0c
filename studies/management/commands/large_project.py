"""python -m studies large_project: a made-up project as large as the paper's, and how fast its pages are."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from studies.large_project.make import make_large_project
from studies.large_project.measure import measure_pages


class Command(BaseCommand):
    help = "Fill a project with made-up rows, on PostgreSQL, and measure its pages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--images", type=int, default=31_783, help="how many images (31783, as in the paper)")
        parser.add_argument("--workers", type=int, default=600, help="how many workers (600)")
        parser.add_argument("--name", default="large", help="the project's name (large)")
        parser.add_argument("--measure", action="store_true", help="then measure the pages")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        try:
            project = make_large_project(options["name"], options["images"], workers=options["workers"], say=self._say)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if options["measure"]:
            measure_pages(project, self._say)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
