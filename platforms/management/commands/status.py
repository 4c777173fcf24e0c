"""manage.py status PLATFORM PROJECT"""

from typing import Any

from platforms.management.choose import PlatformCommand, chosen, recruitment_of


class Command(PlatformCommand):
    help = (
        "Show what a project offers on a platform, how many workers are at work, and what is to be settled. Makes no "
        "call to the platform."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        recruitment_of(platform, project)
        self.tell(platform, project)
