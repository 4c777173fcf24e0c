"""manage.py serve: serve the pages on this machine, with the background work."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.rights import first_account_words
from config.serve import address_of, listen, serve
from exchange.leftovers import remove_leftovers
from runtime.inside_django import missing_migrations
from runtime.installed import COMMAND

MOVED = (
    "PORT {taken} IS TAKEN by another program, so this service uses port {free}. "
    "Stop the other program, or choose a port with PORT or --port."
)


class Command(BaseCommand):
    help = (
        "Serve the pages on this machine until Ctrl-C, with the background work, on the first free port from --port on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=settings.PORT, help="the first port to try (PORT, or 8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if missing_migrations():
            raise CommandError(f"The database is not up to date: run '{COMMAND} migrate' first.")
        remove_leftovers()
        try:
            listener = listen(host, port)
        except (OSError, OverflowError) as error:
            raise CommandError(str(error)) from error
        if words := first_account_words():
            self.stdout.write(words)
        if (free := listener.getsockname()[1]) != port:
            self.stdout.write(self.style.WARNING(MOVED.format(taken=port, free=free)))
        self.stdout.write(f"Chainbox is at {address_of(listener)}/ (Ctrl-C stops it)")
        if settings.ADDRESS_IS_GIVEN:
            self.stdout.write(f"Links lead to ADDRESS, which is {settings.ADDRESS}")
        self.stdout.flush()
        serve(listener)
