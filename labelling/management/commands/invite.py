"""manage.py invite PROJECT: print a link by which people join the project."""

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from pipeline.management.find_project import find_project
from pipeline.rules.tasks.task import Task
from pipeline.stock.stock_forecast import warnings
from workers.invite import invite

LONGEST_DAYS = 3_650
NOTE = 200
"""Characters, as the column holds them."""


class Command(BaseCommand):
    help = "Make an invitation and print its link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--tasks", nargs="+", choices=list(Task), default=[], metavar="TASK", help="default: all")
        parser.add_argument("--trusted", action="store_true", help="who joins is trusted: no test and no probation")
        parser.add_argument("--most", type=int, help="how many may join by it (default: any number)")
        parser.add_argument("--days", type=float, help="how many days it is good (default: for ever)")
        parser.add_argument("--note", default="", help="for whom it is; only requesters see this")
        parser.add_argument("--base", default=settings.ADDRESS, help="where people reach the service")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("most", "days"):
            if options[name] is not None and options[name] <= 0:
                raise CommandError(f"--{name} must be more than 0.")
        if options["days"] is not None and options["days"] > LONGEST_DAYS:
            raise CommandError(f"--days must be {LONGEST_DAYS:,} or less; leave it out for no end.")
        if len(options["note"]) > NOTE:
            raise CommandError(f"--note has {len(options['note'])} characters; {NOTE} are the most.")
        if urlsplit(options["base"]).scheme not in ("http", "https"):
            raise CommandError(f"--base must begin with http:// or https://, not {options['base']!r}.")
        made = invite(
            project_id=find_project(options["project"]).id,
            tasks=options["tasks"],
            trusted=options["trusted"],
            most=options["most"],
            days=options["days"],
            note=options["note"],
        )
        for warning in [] if made.trusted else warnings(made.project_id):
            self.stderr.write(f"Who joins by it has to qualify first. {warning}")
        self.stdout.write(options["base"].rstrip("/") + reverse("join", args=[made.code]))
