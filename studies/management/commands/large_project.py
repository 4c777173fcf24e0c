"""python -m studies large_project: a made-up project as large as the paper's, and how fast its pages are."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from annotation.models import Project
from studies.command import StudyCommand
from studies.large_project.make import make_large_project
from studies.large_project.measure import measure_pages, missed

COPIES = 500
OTHERS = 12
"""Small projects beside the large one."""


class Command(StudyCommand):
    help = (
        "Fill a project with made-up rows, on PostgreSQL, and measure its pages. A project that is there is measured."
    )
    least = {"images": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--images", type=int, default=31_783, help="about how many images (31783, as in the paper)")
        parser.add_argument("--name", default="large", help="the project's name (large)")
        parser.add_argument("--measure", action="store_true", help="then measure the pages")
        parser.add_argument("--goal", action="store_true", help="fail if a page misses 20 statements or 300 ms")

    def study(self, options: dict[str, Any]) -> Any:
        call_command("migrate", verbosity=0)
        project = Project.objects.filter(name=options["name"]).first() or self._make(options)
        if not (options["measure"] or options["goal"]):
            return []
        found = measure_pages(project, self.say)
        faults = missed(found)
        self.say(f"{len(found)} pages, {len(faults)} miss the goal")
        if options["goal"] and faults:
            raise CommandError("The goal is missed:\n" + "\n".join(faults))
        return [{"page": one.page.name, "statements": one.statements.count, "ms": one.median} for one in found]

    def _make(self, options: dict[str, Any]) -> Project:
        for place in range(OTHERS):
            make_large_project(f"{options['name']}-other-{place + 1}", 20, copies=5)
        copies = min(COPIES, max(1, options["images"] // 10))
        return make_large_project(options["name"], options["images"], copies=copies, say=self.say)
