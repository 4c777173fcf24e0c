"""manage.py recovery_link NAME: print a link by which a person chooses a new password."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from labelling.joining.account_adapter import recovery_link


class Command(BaseCommand):
    help = "Print a link by which a person chooses a new password, once, within three days."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the name with which the person signs in")
        parser.add_argument("--base", default=settings.ADDRESS, help="the public address of the service")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first() if options["name"].isprintable() else None
        if user is None or not user.is_active:
            raise CommandError(f"There is no open account {options['name']!r}.")
        self.stdout.write(recovery_link(user, options["base"]))
