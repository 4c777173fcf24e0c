"""manage.py status PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from platforms.management.choose import add_place, chosen, recruitment_of
from platforms.status import status_of


class Command(BaseCommand):
    help = (
        "Say what a project offers on a platform, who is at work, and what waits for whom. Asks the platform nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_place(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment_of(platform, project)
        self.stdout.write(status_of(platform.name, project.id).text())
