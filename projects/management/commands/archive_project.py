"""manage.py archive_project PROJECT OUT: write a finished project into Parquet files, and perhaps free its rows."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline.management.find_project import find_project
from projects.archive.manifest import Archive, ArchiveError, verify
from projects.archive.write_archive import remove_rows, write_archive
from runtime.disk_errors import StorageError
from runtime.installed import COMMAND


class Command(BaseCommand):
    help = (
        "Write a finished project with its whole record into a folder of Parquet files, and compare them with the "
        "database. Run again to continue."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("out", type=Path, help="a new folder, or that of an archive to go on with")
        parser.add_argument("--pictures", action="store_true", help="copy the pictures, too (without: name them)")
        parser.add_argument(
            "--remove", action="store_true",
            help="then remove the rows of its images from the database; bring_back brings them back",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"], archived=True)
        out: Path = options["out"]
        try:
            if project.away is not None:
                archive = self._again(project, out, remove=options["remove"])
            else:
                images = project.images.count()
                with self._bar(images, "write") as bar:
                    archive = write_archive(project, out, pictures=options["pictures"], step=bar.update)
                if not options["remove"]:
                    with self._bar(images, "compare") as bar:
                        verify(archive, project, step=bar.update)
            if options["remove"]:
                with self._bar(2 * sum(piece.images for piece in archive.pieces), "remove") as bar:
                    remove_rows(archive, project, step=bar.update)
        except (ArchiveError, StorageError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Run the same command again to continue.") from None
        self._say(archive, removed=options["remove"])

    def _again(self, project: Any, out: Path, *, remove: bool) -> Archive:
        """Return the archive to which rows of the project were removed already."""
        if not remove or not project.away["absent"] < project.away["pieces"]:
            raise ArchiveError(f"The images of {project.name} were removed already, to {project.away['archive']}.")
        return Archive(out)

    def _bar(self, images: int, name: str) -> "tqdm[Any]":
        return tqdm(total=images, unit="image", desc=name, disable=None)

    def _say(self, archive: Archive, *, removed: bool) -> None:
        tables = archive.manifest["tables"].values()
        rows, files = sum(table["rows"] for table in tables), len(archive.manifest["files"])
        self.stdout.write(f"{archive.folder}: {rows:,} rows in {files} files, {archive.size:,} bytes; nothing differs.")
        if removed:
            gone = sum(table["rows"] for table in tables if table["removed"])
            back = f"{COMMAND} bring_back {archive.folder}"
            self.stdout.write(f"{gone:,} rows left the database. Keep the archive: `{back}` needs it.")
