"""The manifest of an archive: what it holds, how it is read and checked, and how the database differs from it."""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from annotated_types import Ge
from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ForeignKey
from typing_extensions import TypedDict

from annotation.models import Project
from exchange.declared import Count
from exchange.formats.parquet import MISSING, is_there
from projects.archive.tables import OF_IMAGES, OF_PROJECT, Piece, Table, difference, read_rows
from runtime.inside_django import migrations_of_the_code
from runtime.installed import ROOT

FORMAT = 1
MANIFEST = "manifest.json"
ROWS, PICTURES = "rows", "pictures"
WORKERS = "workers"
"""The folder of the workers' table below `ROWS`."""


class ArchiveError(Exception):
    """An archive cannot be written, removed or brought back. The message tells why, and what to do."""


class ArchivedMember(TypedDict):
    """A member of the project when the archive was written."""

    name: str
    """The name of the account."""
    role: str
    """requester, reviewer or viewer."""


class ArchivedTable(TypedDict):
    """A table of the archive: one or more Parquet files in the folder of its name."""

    model: str
    """Its name in the code."""
    rows: Count
    """Rows in all of its files."""
    removed: bool
    """On if its rows leave the database with the images."""
    columns: dict[str, str]
    """The type of each column. JSON and UUIDs are text."""


class ArchivedFile(TypedDict):
    """A file of the archive."""

    path: str
    """Below the archive's folder."""
    rows: Count
    """Rows in it."""
    bytes: Count
    """Its size."""
    sha256: str
    """The digest of its bytes, in hexadecimal."""


class ArchiveManifest(TypedDict):
    """The contents of an archive of a project."""

    kind: Literal["chainbox project archive"]
    """Always this text."""
    format: Annotated[int, Ge(1)]
    """The version of this form."""
    software: str
    """The version of the service that wrote it."""
    migrations: Sequence[str]
    """The state of the tables: names of migrations."""
    engine: str
    """The database that it was written from."""
    written_at: str
    """A time as in ISO 8601."""
    project: dict[str, Any]
    """The row of the project."""
    members: Sequence[ArchivedMember]
    pictures: Literal["by reference", "in the archive"]
    """By reference: the files stay in the service's storage, and the table of images names them."""
    pieces: Sequence[Sequence[Count]]
    """[first id, last id, number] of the images that stand in one file of each table, in the order of files."""
    tables: dict[str, ArchivedTable]
    files: Sequence[ArchivedFile]


def check_parquet() -> None:
    """Raise ArchiveError if pyarrow is not installed."""
    if not is_there():
        raise ArchiveError(MISSING)


def migrations_here() -> list[str]:
    """Return the names of this code's migrations, without those of other packages."""
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    return sorted(f"{app}.{name}" for app, name in migrations_of_the_code() if app in ours)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Archive:
    """An archive on disk, as its manifest has it."""

    def __init__(self, folder: Path) -> None:
        """Read the manifest. Raises ArchiveError if there is none, or if a newer version wrote it."""
        check_parquet()
        self.folder = folder
        if not folder.is_dir():
            raise ArchiveError(f"{folder} is no archive: name the folder that archive_project wrote.")
        try:
            text = (folder / MANIFEST).read_bytes()
            read: Any = json.loads(text)
        except FileNotFoundError:
            raise ArchiveError(
                f"{folder} is no whole archive: {MANIFEST} is missing. If archive_project was stopped, run it again."
            ) from None
        except ValueError as error:
            raise ArchiveError(f"{folder / MANIFEST} is damaged: {error}.") from error
        if not isinstance(read, dict) or read.get("kind") != "chainbox project archive":
            raise ArchiveError(f"{folder / MANIFEST} is not the manifest of an archive.")
        self.digest = hashlib.sha256(text).hexdigest()
        self._check_version(read)
        self.manifest: ArchiveManifest = read  # type: ignore[assignment]  # checked by its digest, or by what follows
        self.pieces = [Piece(*piece) for piece in self.manifest["pieces"]]
        self.files = {entry["path"]: entry for entry in self.manifest["files"]}

    def _check_version(self, read: dict[str, Any]) -> None:
        if read.get("format") != FORMAT:
            raise ArchiveError(f"{self.folder} has format {read.get('format')}; this version reads format {FORMAT}.")
        if unknown := sorted({*read["migrations"]} - {*migrations_here()}):
            raise ArchiveError(
                f"{self.folder} was written by a newer version of the service ({unknown[0]}): install that version."
            )
        for table in (*OF_IMAGES, *OF_PROJECT):
            written = read["tables"].get(table.name, {}).get("columns", {})
            if strange := sorted({*written} - {field.column for field in table.fields}):
                raise ArchiveError(f"{self.folder}: this version has no column {table.name}.{strange[0]}.")

    def check_files(self) -> None:
        """Raise ArchiveError if a file is missing or differs from its digest."""
        for entry in self.manifest["files"]:
            path = self.inside(entry["path"])
            if not path.is_file():
                raise ArchiveError(f"The archive is damaged: {entry['path']} is missing. Nothing was changed.")
            if path.stat().st_size != entry["bytes"] or digest_of(path) != entry["sha256"]:
                raise ArchiveError(
                    f"The archive is damaged: {entry['path']} differs from its digest. Nothing was changed."
                )

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(entry["bytes"] for entry in self.manifest["files"])

    def rows_in(self, table: Table, piece: int) -> int:
        """Return the number of the table's rows in a piece; pieces count from 0."""
        found = self.files.get(path_of(table.name, piece))
        return found["rows"] if found else 0

    def read(self, name: str, piece: int = 0) -> Iterator[Any]:
        """Yield the record batches of a table's file; of a table without rows none."""
        from pyarrow.parquet import ParquetFile

        path = path_of(name, piece)
        if path in self.files:
            with ParquetFile(self.inside(path)) as file:
                for group in range(file.metadata.num_row_groups):
                    yield from file.read_row_group(group).combine_chunks().to_batches()

    def inside(self, path: str) -> Path:
        """Return where a file of the archive is. Raises ArchiveError if the name leads out of it."""
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts:
            raise ArchiveError(f"The archive was changed: {path!r} is not a name of a file in it.")
        return self.folder.joinpath(*parts)

    def is_of(self, project: Project) -> bool:
        """Tell whether the archive is of this project."""
        of = self.manifest["project"]
        return bool(of["id"] == project.pk and of["created_at"] == project.created_at.isoformat())


def path_of(name: str, piece: int) -> str:
    """Return the path of a table's file in an archive."""
    return f"{ROWS}/{name}/{piece:05}.parquet"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder while the block runs, so that no second process writes it, removes its rows or brings them back.

    Raises ArchiveError if another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveError(f"{folder} is in use by another process: wait for it, or stop it.") from None
        yield
    finally:
        os.close(descriptor)


ARCHIVED = frozenset({*(table.label for table in (*OF_IMAGES, *OF_PROJECT)), "workers.Worker"})


def as_here(table: Table, batches: Iterator[Any], *, moved: bool) -> Iterator[Any]:
    """Yield the rows: an account that is gone is named by none. `moved`: those of another installation by none at all.

    The same account number may be somebody else's there.
    """
    columns = [field for field in table.fields if isinstance(field, ForeignKey) and _is_strange(field, moved=moved)]
    there = set(User.objects.values_list("pk", flat=True)) if columns and not moved else set()
    for batch in batches:
        yield _emptied(batch, [column.column for column in columns], there)


def _is_strange(field: "ForeignKey[Any, Any]", *, moved: bool) -> bool:
    """Tell whether the column points to what no archive holds: an account, or, of a moved project, another project."""
    if not moved:
        return field.related_model is User
    return bool(field.null and field.related_model._meta.label not in ARCHIVED)


def _emptied(batch: Any, columns: list[str], there: set[int]) -> Any:
    import pyarrow as arrow

    for column in columns:
        kept = [account if account in there else None for account in batch.column(column).to_pylist()]
        batch = batch.set_column(batch.schema.get_field_index(column), column, arrow.array(kept, arrow.int64()))
    return batch


def verify(
    archive: Archive, project: Project, *, step: Callable[[int], object] = lambda images: None, of_project: bool = True
) -> None:
    """Raise ArchiveError, which names the place, where the archive says another thing than the database.

    `of_project`: off, only rows of images are compared. `step` gets the number of images of each piece.
    """
    for place, piece in enumerate(archive.pieces):
        for table in OF_IMAGES:
            with transaction.atomic():
                _compare(archive, table, place, read_rows(table, project, piece), moved=_moved(project))
        step(piece.images)
    if sum(piece.images for piece in archive.pieces) != project.images.count():
        raise ArchiveError(f"{project.name} has other images than the archive {archive.folder}.")
    for table in OF_PROJECT if of_project else ():
        with transaction.atomic():
            _compare(archive, table, 0, read_rows(table, project, None), moved=_moved(project))


def _moved(project: Project) -> bool:
    return project.away is not None and project.away.get("moved", False)


def _compare(archive: Archive, table: Table, place: int, here: Iterator[Any], *, moved: bool) -> None:
    if found := difference(table, here, as_here(table, archive.read(table.name, place), moved=moved)):
        raise ArchiveError(
            f"The archive {archive.folder} and the database differ: {found}. The project has changed since it was "
            "written: write a new archive into another folder."
        )
