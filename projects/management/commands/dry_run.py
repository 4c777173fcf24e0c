"""manage.py dry_run NAME: let simulated workers annotate a scratch copy of some of a project's images."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pipeline.management.find_project import find_project
from projects.data.carry_out import do_run
from projects.data.watch import RunWatch
from projects.lifecycle.dry_run import NotDryError, delete_dry_run, make_dry_run
from projects.long_work import carry_out
from projects.models import ImportRun


class Command(BaseCommand):
    help = "Make a dry run of a project in a scratch copy, or delete one with everything in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project; with --delete, of the dry run")
        parser.add_argument("--delete", action="store_true", help="delete this dry run")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if options["delete"]:
            try:
                delete_dry_run(project)
            except NotDryError as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{project.name} was deleted.")
            return
        if project.dry_run or not project.images.filter(mentions__isnull=False).exists():
            raise CommandError("A dry run needs a project with phrases that is not a dry run itself.")
        made = make_dry_run(project, None)
        kind = ImportRun.Kind.DRY_RUN
        run = ImportRun.objects.create(project=made, kind=kind, source=project.name, source_project=project)
        carry_out(RunWatch(run, by_command=True), partial(do_run, run))
        run.refresh_from_db()
        if run.state != ImportRun.State.DONE:
            raise CommandError(run.problem or "The dry run was stopped.")
        self.stdout.write(f"Made {made.name}: simulated workers have annotated {made.images.count()} images.")
