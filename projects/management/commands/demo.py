"""manage.py demo: bring the demo projects, and serve them."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from accounts.rights import NAME, first_account_words
from projects.demo.archive import bring_demo, build_demos
from runtime.installed import COMMAND


class Command(BaseCommand):
    help = "Bring the demo projects, or simulate those that are missing beside others, and serve them on this machine."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT, help="the first port to try (PORT, or 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        bring_demo(self._say)
        build_demos(self._say)
        self._make_admin()
        # Anyone may see drawn scenes and simulated answers.
        settings.GALLERY_PUBLIC = True
        settings.TRY_AS_WORKER = True
        settings.DEMO = True
        call_command("serve", port=options["port"])

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _make_admin(self) -> None:
        kept = f"The admin pages are at /admin/. To set a new password: {COMMAND} changepassword {NAME}"
        self._say(first_account_words() or kept)
