"""Write an archive of a finished project: each file whole or not at all, so that a stopped one can go on."""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from accounts.models import Membership
from annotation.models import Box, Project
from annotation.storage import store
from chainbox import __version__
from projects.archive.manifest import (
    FORMAT,
    MANIFEST,
    PICTURES,
    ROWS,
    WORKERS,
    Archive,
    ArchivedFile,
    ArchiveError,
    ArchiveManifest,
    check_parquet,
    digest_of,
    locked,
    migrations_here,
    path_of,
)
from projects.archive.refusals import check_settled
from projects.archive.rows import read_rows, schema_of
from projects.archive.tables import OF_IMAGES, OF_PROJECT, Piece, Table
from projects.models import ModelPrediction
from runtime import clock
from workers.models import Worker

PIECE = 2_000
"""Images whose rows are written into one file of each table."""
BEGUN, JOURNAL = "begun.json", "journal.jsonl"
"""The files from which a stopped archive goes on; neither is there when it is whole."""
OTHERS = "{} holds an archive of another project: choose another folder."
Step = Callable[[int], object]


def write_archive(
    project: Project, folder: Path, *, pictures: bool = False, step: Step = lambda images: None
) -> Archive:
    """Write the whole project into the folder, or what an earlier try left to write. Returns the archive.

    `pictures`: their files are copied, too. `step` gets the number of images of each piece that is written. Raises
    ArchiveError: for a project that is not settled, and for a folder with anything else in it.
    """
    check_parquet()
    check_settled(project)
    check_place(folder)
    folder.mkdir(exist_ok=True)
    with locked(folder):
        if (folder / MANIFEST).exists():
            archive = Archive(folder)
            if not archive.is_of(project):
                raise ArchiveError(OTHERS.format(folder))
            archive.check_files()
            step(project.images.count())
            return archive
        writing = _Writing(folder, project, pictures)
        for place, piece in enumerate(writing.pieces):
            for table in OF_IMAGES:
                writing.table(table, piece, place)
            if pictures:
                writing.pictures(piece, place)
            step(piece.images)
        for table in OF_PROJECT:
            writing.table(table, None, 0)
        writing.workers()
        writing.finish()
    return Archive(folder)


def check_place(folder: Path) -> None:
    """Raise ArchiveError unless an archive can be written there, or was begun or written there before."""
    if not folder.parent.is_dir():
        raise ArchiveError(f"The folder {folder.parent} does not exist: make it first.")
    if folder.exists() and not folder.is_dir():
        raise ArchiveError(f"{folder} is a file: name a new folder.")
    ours = any((folder / name).exists() for name in (MANIFEST, BEGUN))
    if folder.is_dir() and any(folder.iterdir()) and not ours:
        raise ArchiveError(f"{folder} is not empty: name a new folder.")


def pieces_of(project: Project) -> list[Piece]:
    """Return the project's images in pieces, by their ids."""
    pieces, part = list[Piece](), list[int]()
    for pk in chain(project.images.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=PIECE), [0]):
        if part and (not pk or len(part) == PIECE):
            pieces.append(Piece(part[0], part[-1], len(part)))
            part.clear()
        part.append(pk)
    return pieces


class _Writing:
    """An archive that is being written: the files that are there, and what they hold."""

    def __init__(self, folder: Path, project: Project, pictures: bool) -> None:  # noqa: FBT001  # private
        """Go on where an earlier try stopped, or begin if the images or the tables are others by now.

        Raises ArchiveError if another project's archive was begun in the folder.
        """
        self.folder, self.project, self.with_pictures = folder, project, pictures
        self.pieces = pieces_of(project)
        begun = {
            "project": project.pk, "pieces": [list(piece) for piece in self.pieces], "migrations": migrations_here(),
            "engine": connection.vendor, "pictures": pictures,
        }  # fmt: skip
        before = _read(folder / BEGUN)
        if before is not None and not (isinstance(before, dict) and before.get("project") == project.pk):
            raise ArchiveError(OTHERS.format(folder))
        if before != begun:
            for name in (ROWS, PICTURES):
                shutil.rmtree(folder / name, ignore_errors=True)
            (folder / JOURNAL).unlink(missing_ok=True)
            (folder / BEGUN).write_text(json.dumps(begun))
        self.files: dict[str, ArchivedFile] = {}
        if (folder / JOURNAL).exists():
            for line in (folder / JOURNAL).read_text().splitlines():
                with suppress(ValueError):  # a line that was cut off
                    one: ArchivedFile = json.loads(line)
                    self.files[one["path"]] = one

    def table(self, table: Table, piece: Piece | None, place: int) -> None:
        """Write the rows of a table, of the images of a piece or of the project."""
        self._parquet(path_of(table.name, place), schema_of(table), read_rows(table, self.project, piece))

    def _parquet(self, path: str, schema: Any, batches: Iterable[Any]) -> None:
        """Write a file, unless it is there whole, and note it. Without rows there is no file."""
        from pyarrow.parquet import ParquetWriter

        target = self.folder / path
        before = self.files.get(path)
        if before and target.is_file() and digest_of(target) == before["sha256"]:
            return
        aside, rows = target.with_name(f"{target.name}.partial"), 0
        target.parent.mkdir(parents=True, exist_ok=True)
        with transaction.atomic(), ParquetWriter(aside, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch, row_group_size=max(1, batch.num_rows))
                rows += batch.num_rows
        if not rows:
            aside.unlink()
            return
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(target)
        self._note(path, target, rows)

    def _note(self, path: str, target: Path, rows: int) -> None:
        size, digest = target.stat().st_size, digest_of(target)
        self.files[path] = {"path": path, "rows": rows, "bytes": size, "sha256": digest}
        with (self.folder / JOURNAL).open("a") as journal:
            journal.write(f"{json.dumps(self.files[path])}\n")

    def workers(self) -> None:
        """Write who worked: people by their number alone, since they may want to be forgotten."""
        import pyarrow as arrow

        schema = arrow.schema(
            {"id": arrow.int64(), "name": arrow.string(), "kind": arrow.string(),
             "created_at": arrow.timestamp("us", tz="UTC"), "closed_at": arrow.timestamp("us", tz="UTC")}
        )  # fmt: skip
        found = [
            {**row, "name": f"worker {row['id']}" if row["kind"] == Worker.Kind.PERSON else row["name"]}
            for row in workers_of(self.project).order_by("pk").values(*schema.names)
        ]
        self._parquet(path_of(WORKERS, 0), schema, [arrow.RecordBatch.from_pylist(found, schema)] if found else [])

    def pictures(self, piece: Piece, place: int) -> None:
        """Copy the pictures of a piece's images, and write a table of them."""
        import pyarrow as arrow

        schema = arrow.schema({"name": arrow.string(), "bytes": arrow.int64(), "sha256": arrow.string()})
        inside = self.project.images.filter(pk__range=(piece.first, piece.last)).exclude(picture="")
        names = inside.order_by("picture").values_list("picture", flat=True).distinct()
        rows = [{"name": name, **self._copied(name)} for name in list(names)]
        self._parquet(path_of(PICTURES, place), schema, [arrow.RecordBatch.from_pylist(rows, schema)] if rows else [])

    def _copied(self, name: str) -> dict[str, Any]:
        target = self.folder / PICTURES / name
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            aside = target.with_name(f"{target.name}.partial")
            try:
                with store().open(name) as source, aside.open("wb") as out:
                    shutil.copyfileobj(source, out)
            except FileNotFoundError:
                raise ArchiveError(f"The picture {name} is missing in storage: write it by reference.") from None
            aside.replace(target)
        return {"bytes": target.stat().st_size, "sha256": digest_of(target)}

    def finish(self) -> None:
        """Write the manifest, which makes the archive whole."""
        text = json.dumps(self._manifest(), indent=1, sort_keys=True)
        aside = self.folder / f"{MANIFEST}.partial"
        aside.write_text(f"{text}\n")
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(self.folder / MANIFEST)
        for name in (BEGUN, JOURNAL):
            (self.folder / name).unlink(missing_ok=True)

    def _manifest(self) -> ArchiveManifest:
        members = Membership.objects.filter(project=self.project).order_by("user__username")
        return {
            "kind": "chainbox project archive",
            "format": FORMAT,
            "software": __version__,
            "migrations": migrations_here(),
            "engine": connection.vendor,
            "written_at": clock.now().isoformat(),
            "project": project_row(self.project),
            "members": [{"name": name, "role": role} for name, role in members.values_list("user__username", "role")],
            "pictures": "in the archive" if self.with_pictures else "by reference",
            "pieces": [list(piece) for piece in self.pieces],
            "tables": {
                table.name: {
                    "model": table.label,
                    "rows": sum(file["rows"] for file in self.files.values() if _is_in(file["path"], table.name)),
                    "removed": bool(table.images),
                    "columns": {field.name: str(field.type) for field in schema_of(table)},
                }
                for table in (*OF_IMAGES, *OF_PROJECT)
            },
            "files": sorted(self.files.values(), key=lambda one: one["path"]),
        }


def workers_of(project: Project) -> QuerySet[Worker]:
    """Return who worked in the project, or may, or is named in its rows."""
    named = Q(pk__in=Box.objects.filter(image__project=project).exclude(drawn_by=None).values("drawn_by"))
    # Each of these by itself: joined, they would be as many rows as the product of their numbers.
    for table in OF_PROJECT:
        [rows] = table.rows(project.pk, None)
        for field in table.fields:
            if field.related_model is Worker:
                named |= Q(pk__in=rows.order_by().values(field.name))
    named |= Q(pk__in=ModelPrediction.objects.filter(project=project).values("program"))
    return Worker.objects.filter(named)


def project_row(project: Project) -> dict[str, Any]:
    """Return the project's row as JSON, without where its images are."""
    row = {field.attname: getattr(project, field.attname) for field in project._meta.concrete_fields}
    del row["away"]
    return {**row, "created_at": project.created_at.isoformat()}


def _is_in(path: str, table: str) -> bool:
    return path.startswith(f"{ROWS}/{table}/")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
