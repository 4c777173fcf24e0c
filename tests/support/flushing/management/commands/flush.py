"""The command `flush` of tests."""

from typing import Any

from django.core.management.commands import flush

from tests.support.emptied import empty_filled_tables


class Command(flush.Command):
    """Django's command and its options, with only the tables that hold rows."""

    def handle(self, **options: Any) -> None:
        empty_filled_tables()
