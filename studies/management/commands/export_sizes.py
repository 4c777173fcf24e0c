"""python -m studies export_sizes: every export of projects as large as the paper's, images a second and peak memory."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from exchange.registry import export_formats
from studies.command import StudyCommand
from studies.large_project.exports import HEAD, KINDS, measure_all, measure_one


class Command(StudyCommand):
    help = "Fill projects with made-up images, and export them in every format. Projects that are there are exported."
    least = {"images": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--images", type=int, default=31_783, help="about how many images (31783, as in the paper)")
        parser.add_argument(
            "--only", choices=export_formats(), action="append", help="this format (all); may be given again"
        )
        parser.add_argument("--kind", choices=KINDS, action="append", help="this kind of project (all), likewise")
        parser.add_argument("--one", metavar="PROJECT", help="export a project in this process, and print JSON")

    def study(self, options: dict[str, Any]) -> Any:
        formats = options["only"] or list(export_formats())
        if options["one"]:
            found = measure_one(options["one"], formats[0])
            self.stdout.write(json.dumps(found))
            return found
        call_command("migrate", verbosity=0)
        figures: list[dict[str, Any]] = []
        for one in measure_all(options["kind"] or list(KINDS), formats, options["images"], self.say):
            if not figures:
                self.say(HEAD)
            self.say(str(one))
            figures.append(asdict(one))
        return figures
