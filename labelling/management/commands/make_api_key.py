"""manage.py make_api_key NAME --project P: let a program answer questions, and print its API key."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from pipeline.management.find_project import find_project
from pipeline.rules.tasks.task import Task
from workers.api_keys import make_api_key
from workers.grant_access import grant_access
from workers.models import Worker


class Command(BaseCommand):
    help = "Create a program that answers questions, unless one has this name, and print a new API key for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the worker's name")
        parser.add_argument("--project", required=True)
        parser.add_argument("--tasks", nargs="+", choices=list(Task), default=list(Task), metavar="TASK")

    @transaction.atomic
    def handle(self, *args: Any, name: str, project: str, tasks: list[str], **options: Any) -> None:
        row = find_project(project)
        worker, _ = Worker.objects.get_or_create(name=name, defaults={"kind": Worker.Kind.PROGRAM})
        if worker.kind != Worker.Kind.PROGRAM:
            raise CommandError(f"{name!r} is the name of a {worker.kind} worker: give the program another name.")
        grant_access(worker, row.id, [str(task) for task in tasks])
        self.stderr.write("The key is shown only once. Keep it like a password:")
        self.stdout.write(make_api_key(worker))
