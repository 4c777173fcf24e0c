"""manage.py withdraw PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from platforms.management.choose import add_platform_and_project, chosen, recruitment_of
from platforms.models import Offer
from platforms.offers.recruit import stop_recruiting
from platforms.status import status_of
from platforms.sync import sync


class Command(BaseCommand):
    help = (
        "Stop offering a project's work on a platform. Workers who are at work can finish and are paid: sessions are "
        "settled as before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_platform_and_project(parser)
        parser.add_argument("--dry-run", action="store_true", help="only show how many offers would end")

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment = recruitment_of(platform, project)
        if options["dry_run"]:
            open_now = Offer.objects.filter(platform=platform.name, project_id=project.id, state=Offer.State.OPEN)
            self.stdout.write(f"{open_now.count()} open offers would end.")
            return
        stop_recruiting(recruitment)
        for failure in sync(platform, recruitment).failures:
            self.stderr.write(f"{failure}. The next round tries it again.")
        self.stdout.write(status_of(platform.name, project.id).text())
