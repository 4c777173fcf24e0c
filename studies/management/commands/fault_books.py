"""python -m studies fault_books: the fault campaign's own reads and writes, in a process with its database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from studies.faults.books import LEASE_MINUTES, answers_left, check, prepare
from studies.faults.requesters import resume_without_right, take_one_name


class Command(BaseCommand):
    help = "Used by fault_campaign: make its project and workers, act as requesters, or check its books. Prints JSON."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["prepare", "check", "folded", "rights", "names"])
        parser.add_argument("project")
        parser.add_argument("--source", type=Path, help="the images of the project, as a data set with gold")
        parser.add_argument("--workers", type=int, default=8)
        parser.add_argument("--lease-minutes", type=float, default=LEASE_MINUTES)
        parser.add_argument("--images", type=int, default=0, help="how many images the project should have")
        parser.add_argument("--port", type=int, default=0, help="where the web server listens")
        parser.add_argument("--journal", type=Path, help="the acknowledged submissions, as JSON")

    def handle(self, *args: Any, what: str, project: str, **options: Any) -> None:
        if what == "prepare":
            result: Any = prepare(project, options["source"], options["workers"], options["lease_minutes"])
        elif what == "folded":
            result = answers_left(project)
        elif what == "rights":
            result = resume_without_right()
        elif what == "names":
            result = take_one_name(options["port"])
        else:
            submissions = json.loads(options["journal"].read_text(encoding="utf-8"))
            result = check(project, submissions, options["images"])
        self.stdout.write(json.dumps(result))
