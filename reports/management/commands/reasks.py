"""manage.py reasks PROJECT: hold the adaptive strategy's confidence against fresh answers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from pipeline.management.find_project import find_project
from reports.foretold import foretold_tenths, foretold_text


class Command(BaseCommand):
    help = (
        "Compare, for links asked by lot, the chance that the adaptive strategy foretold with what workers said, by "
        "tenths."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(foretold_text(foretold_tenths(find_project(options["project"]).id)))
