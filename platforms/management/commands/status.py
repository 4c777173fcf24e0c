"""manage.py status PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from platforms.management.choose import add_platform_and_project, chosen, recruitment_of
from platforms.status import status_of


class Command(BaseCommand):
    help = (
        "Show what a project offers on a platform, how many workers are at work, and what is to be settled. Makes no "
        "call to the platform."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_platform_and_project(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment_of(platform, project)
        self.stdout.write(status_of(platform.name, project.id).text())
