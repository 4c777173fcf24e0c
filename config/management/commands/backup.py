"""manage.py backup TARGET: write the database, the pictures and the exports into one file."""

import sqlite3
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from config.backups.engines import BackupError
from config.backups.make import make_backup, size_of_media


class Command(BaseCommand):
    help = "Back up the service into one file, while it runs. The file holds secrets; only its owner can read it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, help="a folder, or a new file")

    def handle(self, *args: Any, target: Path, **options: Any) -> None:
        with tqdm(total=size_of_media(), unit="B", unit_scale=True, desc="backup", disable=None) as bar:
            try:
                made = make_backup(target, step=bar.update)
            except (BackupError, OSError, sqlite3.Error, DatabaseError) as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"{made.path}: {made.size:,} bytes, {made.files} pictures and exports.")
        for name, counts in made.content.projects.items():
            self.stdout.write(f"  {name}: " + ", ".join(f"{key.replace('_', ' ')} {n}" for key, n in counts.items()))
        if settings.S3_BUCKET:
            self.stdout.write(
                f"Pictures and exports are in the bucket {settings.S3_BUCKET}, which needs a backup of its own."
            )
