"""manage.py backup TARGET: write the database, the pictures and the exports into one file."""

import sqlite3
import time
from argparse import ArgumentParser
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from tqdm import tqdm

from config.backups import BackupError, age_by_backup, make_backup, remove_old, size_of_media


class Command(BaseCommand):
    help = "Back up the service into one file, while it runs. The file holds secrets; only its owner can read it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, help="a folder, or a new file")
        parser.add_argument("--every-hours", type=int, help="go on: a new file in the folder after so many hours")
        parser.add_argument(
            "--keep-days", dest="day_limit", type=int, help="remove older backups from the folder, but not the newest"
        )

    def handle(self, *args: Any, target: Path, every_hours: int | None, day_limit: int | None, **options: Any) -> None:
        if (every_hours or day_limit) and not target.is_dir():
            raise CommandError(f"{target} is no folder: --every-hours and --keep-days need one.")
        if not every_hours:
            self._back_up(target, day_limit)
            return
        with suppress(KeyboardInterrupt):
            while True:
                newest = min(age_by_backup(target).values(), default=timedelta.max)
                time.sleep(max(0.0, (timedelta(hours=every_hours) - newest).total_seconds()))
                self._back_up(target, day_limit)
                connection.close()  # the database may start again until the next one

    def _back_up(self, target: Path, day_limit: int | None) -> None:
        with tqdm(total=size_of_media(), unit="B", unit_scale=True, desc="backup", disable=None) as bar:
            try:
                made = make_backup(target, step=bar.update)
                if day_limit:
                    remove_old(target, timedelta(days=day_limit))
            except (BackupError, OSError, sqlite3.Error, DatabaseError) as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"{made.path}: {made.size:,} bytes, {made.files} pictures and exports.")
        for name, counts in made.content.projects.items():
            self.stdout.write(f"  {name}: " + ", ".join(f"{key.replace('_', ' ')} {n}" for key, n in counts.items()))
        if settings.S3_BUCKET:
            self.stdout.write(
                f"Pictures and exports are in the bucket {settings.S3_BUCKET}, which needs a backup of its own."
            )
