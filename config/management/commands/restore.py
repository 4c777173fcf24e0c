"""manage.py restore FILE: put a backup into an empty database and an empty folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from config.backups import BackupError, restore_backup, size_of
from runtime.installed import COMMAND


class Command(BaseCommand):
    help = "Restore a backup into an empty place. Anything that is there already is never overwritten."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help=f"a file that '{COMMAND} backup' made")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            with tqdm(total=size_of(file), unit="B", unit_scale=True, desc="restore", disable=None) as bar:
                done = restore_backup(file, step=bar.update)
        except (BackupError, OSError, DatabaseError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{len(done.content.projects)} projects, {done.files} pictures and exports restored.")
        for note in done.notes:
            self.stdout.write(f"  {note}")
