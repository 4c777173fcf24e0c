"""manage.py make_api_key NAME --project P [--trusted]: let a program answer questions, and print its API key."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from pipeline.gold_questions.known_forecast import warnings
from pipeline.management.find_project import find_project
from pipeline.project.queries import NotAskedError, chosen_tasks
from pipeline.protocol.tasks.task import Task
from workers.change_trust import change_trust
from workers.invitations import grant_access
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustEvent, TrustState
from workers.tokens import make_api_key

LONGEST_NAME = 100
"""In characters, as in the column of workers."""
ON_THE_WAY = (TrustState.INVITED, TrustState.TESTING, TrustState.PROBATION)
"""The states of a worker who has not earned trust yet."""


class Command(BaseCommand):
    help = "Create a program that answers questions, unless one has this name, and print a new API key for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the worker's name")
        parser.add_argument("--project", required=True)
        parser.add_argument("--tasks", nargs="+", choices=list(Task), default=[], metavar="TASK", help="all")
        parser.add_argument("--trusted", action="store_true", help="the program needs no test and no probation")

    @transaction.atomic
    def handle(self, *args: Any, name: str, project: str, tasks: list[str], **options: Any) -> None:
        row = find_project(project)
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise CommandError(f"A name has 1 to {LONGEST_NAME} printable characters; this one has {len(name)}.")
        worker, _ = Worker.objects.get_or_create(name=name, defaults={"kind": Worker.Kind.PROGRAM})
        if worker.kind != Worker.Kind.PROGRAM:
            raise CommandError(f"{name!r} is the name of a {worker.kind} worker: give the program another name.")
        try:
            chosen = [task.value for task in chosen_tasks(row, tasks)]
        except NotAskedError as error:
            raise CommandError(str(error)) from error
        grant_access(worker, row.id, chosen, trusted=options["trusted"])
        if options["trusted"]:
            _trust(worker, row.id, chosen)
        elif TrustStatus.objects.filter(worker=worker, project=row, task__in=chosen, state__in=ON_THE_WAY).exists():
            for warning in warnings(row.id):
                self.stderr.write(f"The program has to qualify first. {warning}")
        self.stderr.write("The key is shown only once. Keep it like a password:")
        self.stdout.write(make_api_key(worker))


def _trust(worker: Worker, project_id: int, tasks: list[str]) -> None:
    """Trust a program that was invited to these tasks earlier. A suspended or barred one stays so."""
    rows = TrustStatus.objects.filter(worker=worker, project=project_id, task__in=tasks, state__in=ON_THE_WAY)
    for task in list(rows.values_list("task", flat=True)):
        change_trust(
            worker_id=worker.pk,
            project_id=project_id,
            task=task,
            event=TrustEvent.TRUST,
            because="The requester trusts this program by name: make_api_key --trusted.",
        )
