"""python -m studies large_project: a made-up project as large as the paper's, and how fast its pages are."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation.models import Project
from studies.large_project.make import make_large_project
from studies.large_project.measure import measure_pages, missed


class Command(BaseCommand):
    help = (
        "Fill a project with made-up rows, on PostgreSQL, and measure its pages. A project that is there is measured."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--images", type=int, default=31_783, help="how many images (31783, as in the paper)")
        parser.add_argument("--workers", type=int, default=600, help="how many workers (600)")
        parser.add_argument("--others", type=int, default=12, help="small projects beside it (12)")
        parser.add_argument("--name", default="large", help="the project's name (large)")
        parser.add_argument("--measure", action="store_true", help="then measure the pages")
        parser.add_argument("--only", default="", metavar="WORD", help="measure pages whose name holds this")
        parser.add_argument("--slow", action="store_true", help="also print statements of more than 50 ms")
        parser.add_argument("--goal", action="store_true", help="fail if a page misses 20 statements or 300 ms")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        project = Project.objects.filter(name=options["name"]).first()
        try:
            project = project or self._make(options)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if options["measure"] or options["goal"]:
            found = measure_pages(project, self._say, only=options["only"], slow=options["slow"])
            faults = missed(found)
            self._say(f"{len(found)} pages, {len(faults)} miss the goal")
            if options["goal"] and faults:
                raise CommandError("The goal is missed:\n" + "\n".join(faults))

    def _make(self, options: dict[str, Any]) -> Project:
        for place in range(options["others"]):
            name = f"{options['name']}-other-{place + 1}"
            make_large_project(name, 20, workers=13, say=lambda line: None, vacuum=False)
        return make_large_project(options["name"], options["images"], workers=options["workers"], say=self._say)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
