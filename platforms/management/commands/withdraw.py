"""manage.py withdraw PLATFORM PROJECT"""

from argparse import ArgumentParser
from typing import Any

from platforms.management.choose import PlatformCommand, chosen, recruitment_of
from platforms.models import Offer
from platforms.offers.recruit import stop_recruiting
from platforms.sync import sync


class Command(PlatformCommand):
    help = (
        "Stop offering a project's work on a platform. Workers who are at work can finish and are paid: sessions are "
        "settled as before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="only show how many offers would end")

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment = recruitment_of(platform, project)
        if options["dry_run"]:
            open_now = Offer.objects.filter(platform=platform.name, project_id=project.id, state=Offer.State.OPEN)
            self.stdout.write(f"{open_now.count()} open offers would end.")
            return
        stop_recruiting(recruitment)
        self.tell(platform, project, sync(platform, recruitment).failures)
