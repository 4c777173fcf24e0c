"""manage.py import_dataset PROJECT SOURCE: import images with captions into a project."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.rights import find_owner
from annotation.models import Project
from projects.data.operations import begin_import
from projects.lifecycle.operations import NewProject, create_project, new_project_name
from projects.management.command_for import command_for
from projects.models import ImportProblem, Run
from projects.operation import COMMAND_LINE, Caller, Refused


class Command(command_for(begin_import)):  # type: ignore[misc]  # a class that is made of the operation
    help = f"{begin_import.help} A missing project is made, as a draft. Run again to continue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--owner", help="user who becomes requester of a new project (without: administrators)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            name = new_project_name(options["project"], "")
            draft = None if Project.objects.filter(name=name).exists() else _draft(name, options["owner"])
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        before = Run.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        try:
            super().handle(*args, **options)
        finally:
            for problem in ImportProblem.objects.filter(run__project__name=name, run__pk__gt=before):
                self.stderr.write(f"  {problem}")
            if draft and not draft.images.exists():
                draft.delete()  # a source of which nothing comes leaves no empty project


def _draft(name: str, owner: str | None) -> Project:
    """Make the draft. Raises Refused."""
    caller = Caller(find_owner(owner), owner) if owner else COMMAND_LINE
    create_project(None, NewProject(name=name), caller)
    return Project.objects.get(name=name)
