"""python -m studies arithmetic: rows, bytes, statements and log of an image and a judgment, on PostgreSQL."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import connection

from studies.arithmetic import measure, projections, tables_of
from studies.command import StudyCommand


class Command(StudyCommand):
    help = (
        "Let a simulated crowd annotate two campaigns of different sizes in an empty PostgreSQL, export, replay, "
        "archive and bring them back, and tell what an image and a judgment cost the database. Run it with "
        "scripts/with_services.py --durable."
    )

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--images", nargs="+", type=int, default=[200, 800], help="sizes (200 800)")

    def study(self, options: dict[str, Any]) -> Any:
        if connection.vendor != "postgresql":
            raise ValueError("This study needs PostgreSQL: use scripts/with_services.py --durable.")
        if min(options["images"]) < 1:
            raise ValueError("--images: give at least 1.")
        call_command("migrate", verbosity=0)
        with TemporaryDirectory(prefix="chainbox-arithmetic-") as folder:
            found = measure(options["images"], Path(folder), self.say)
        self.say(tables_of(found["campaigns"][-1]))
        self.say(projections(found))
        return found
