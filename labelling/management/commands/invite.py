"""manage.py invite PROJECT: make an invitation and print its link."""

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from pipeline.management.find_project import find_project
from pipeline.project.tasks import NotAskedError, refuse_others
from pipeline.protocol.tasks.task import Task
from pipeline.stock.stock_forecast import warnings
from workers.invitations import invite

LONGEST_DAYS = 3_650
MOST_PEOPLE = 1_000_000
NOTE = 200
"""The longest note in characters, as in its column."""


class Command(BaseCommand):
    help = "Make an invitation and print its link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--tasks", nargs="+", choices=list(Task), default=[], metavar="TASK", help="default: all")
        parser.add_argument(
            "--trusted", action="store_true", help="everybody who joins is trusted: no test, no probation"
        )
        parser.add_argument("--most", type=int, help="how many people may join (default: no limit)")
        parser.add_argument("--days", type=float, help="how many days the link is valid (default: no end)")
        parser.add_argument("--note", default="", help="whom the invitation is for; only requesters see this")
        parser.add_argument("--base", default=settings.ADDRESS, help="the public address of the service")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("most", "days"):
            if options[name] is not None and not options[name] > 0:
                raise CommandError(f"--{name} must be more than 0.")
        if options["days"] is not None and options["days"] > LONGEST_DAYS:
            raise CommandError(f"--days must be {LONGEST_DAYS:,} or less; leave it out for no end.")
        if options["most"] is not None and options["most"] > MOST_PEOPLE:
            raise CommandError(f"--most must be {MOST_PEOPLE:,} or less; leave it out for no limit.")
        if len(options["note"]) > NOTE:
            raise CommandError(f"--note has {len(options['note'])} characters; at most {NOTE} are allowed.")
        if urlsplit(options["base"]).scheme not in ("http", "https"):
            raise CommandError(f"--base must begin with http:// or https://, not {options['base']!r}.")
        project = find_project(options["project"])
        try:
            refuse_others(project, options["tasks"])
        except NotAskedError as error:
            raise CommandError(str(error)) from error
        made = invite(
            project_id=project.id,
            tasks=options["tasks"],
            trusted=options["trusted"],
            most=options["most"],
            days=options["days"],
            note=options["note"],
        )
        for warning in [] if made.trusted else warnings(made.project_id):
            self.stderr.write(f"People who join by this link have to qualify first. {warning}")
        self.stdout.write(options["base"].rstrip("/") + reverse("join", args=[made.code]))
