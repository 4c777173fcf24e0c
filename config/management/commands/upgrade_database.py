"""manage.py upgrade_database: copy the database of an old PostgreSQL into that of a new one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from config.backups.engines import BackupError
from config.backups.upgrade import upgrade_database


class Command(BaseCommand):
    help = "Copy the database of OLD_DATABASE_URL into the empty one of DATABASE_URL. The old one is only read."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", type=float, default=60, help="seconds in which both servers must answer; 60")

    def handle(self, *args: Any, wait: float, **options: Any) -> None:
        try:
            with tqdm(unit="B", unit_scale=True, desc="copy", disable=None) as bar:
                done = upgrade_database(wait=wait, step=bar.update)
        except (BackupError, OSError, DatabaseError) as error:
            raise CommandError(str(error)) from error
        rows = sum(done.rows.values())
        self.stdout.write(
            f"PostgreSQL {done.before} to {done.after}: {len(done.rows)} tables with {rows:,} rows are equal. "
            "The old database is as it was: remove it when the service runs well."
        )
