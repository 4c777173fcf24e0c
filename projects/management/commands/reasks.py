"""manage.py reasks PROJECT: hold the adaptive strategy's confidence against fresh answers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from pipeline.management.find_project import find_project
from projects.quality.calibration import calibration_tenths, calibration_text


class Command(BaseCommand):
    help = (
        "Compare, for links asked at random, the chance that the adaptive strategy predicted with the answers, by "
        "tenths."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(calibration_text(calibration_tenths(find_project(options["project"]).id)))
