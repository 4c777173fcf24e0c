"""manage.py operation NAME: do any operation of requesters, as a call of the API does it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from projects.management.command_for import command_for
from projects.operations import OPERATIONS

COMMANDS = {operation.name: command_for(operation)() for operation in OPERATIONS if not operation.command}


class Command(BaseCommand):
    help = "Do an operation of requesters that has no command of its own, as its call of the API does it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
        for name, command in COMMANDS.items():
            command.add_arguments(names.add_parser(name, help=command.help, description=command.help))

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        command = COMMANDS[name]
        command.stdout = self.stdout
        command.handle(**options)
