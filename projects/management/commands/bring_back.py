"""manage.py bring_back ARCHIVE: put an archived project's rows back into the database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.rights import find_owner
from projects.archive.bring_back import bring_back
from projects.archive.manifest import Archive, ArchiveError
from runtime.disk_errors import StorageError
from runtime.installed import COMMAND


class Command(BaseCommand):
    help = (
        "Bring a project back that archive_project removed, or into an installation where its ids are free, and "
        "compare it with the archive. Run again to continue."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("archive", type=Path, help="the folder that archive_project wrote")

        parser.add_argument("--owner", help="user who becomes requester of a project that was never here")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = find_owner(options["owner"]) if options["owner"] else None
        try:
            archive = Archive(options["archive"])
            images = sum(piece.images for piece in archive.pieces)
            with tqdm(total=2 * images, unit="image", desc="bring back", disable=None) as bar:
                project = bring_back(archive, owner=owner, step=bar.update)
        except (ArchiveError, StorageError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Run the same command again to continue.") from None
        rows = sum(table["rows"] for table in archive.manifest["tables"].values() if table["removed"])
        self.stdout.write(f"{project.name}: {rows:,} rows are back; nothing differs from the archive.")
        self.stdout.write(f"Compare its images with their record: {COMMAND} replay {project.name}")
