"""manage.py project_state NAME STATE: start, pause, finish or archive a project."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.rules.states import ProjectMoveError, ProjectState
from pipeline.management.find_project import find_project
from projects.lifecycle.change_state import change_state


class Command(BaseCommand):
    help = "Move a project to a state, or print the state it is in. Only a running project gives new questions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("state", nargs="?", choices=list(ProjectState), help="without it, the state is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        if options["state"] is None:
            self.stdout.write(f"{project.name} is {project.state}.")
            return
        try:
            before = change_state(project.id, ProjectState(options["state"]), None)
        except ProjectMoveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{project.name} was {before}, and is {options['state']} now.")
