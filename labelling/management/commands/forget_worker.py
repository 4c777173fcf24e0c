"""manage.py forget_worker NAME: delete who a worker is, for somebody who asks by mail."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labelling.own_data import StillAMemberError, forget_worker, owed_to
from workers.models import Worker


class Command(BaseCommand):
    help = "Delete a worker's account, name and platform ids. Answers, pay and trust stay, without a person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the worker's name")
        parser.add_argument("--yes", action="store_true", help="delete; without it, only say what would be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        worker = Worker.objects.filter(name=options["name"]).first() if options["name"].isprintable() else None
        if worker is None:
            raise CommandError(f"There is no worker {options['name']!r}.")
        for project, cents in owed_to(worker):
            self.stderr.write(f"{project.name} still owes this worker {cents / 100:.2f}; pay first.")
        if not options["yes"]:
            self.stdout.write(
                f"{worker} would become a worker without a name. Say --yes to do it; it cannot be undone."
            )
            return
        try:
            done = forget_worker(worker.pk)
        except StillAMemberError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("Deleted." if done else "This was done before.")
