"""Compare an archive with the database, row by row: before rows are removed, and after they came back."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ForeignKey

from annotation.models import Project
from campaign.archive.manifest import Archive, ArchiveError
from campaign.archive.rows import difference, read_rows
from campaign.archive.tables import OF_IMAGES, OF_PROJECT, Table

Prepared = Callable[[Table, Iterator[Any]], Iterator[Any]]


def verify(
    archive: Archive, project: Project, *, step: Callable[[int], object] = lambda images: None, of_project: bool = True
) -> None:
    """Raise ArchiveError, which names the place, where the archive says another thing than the database.

    `of_project`: off, only rows of images are compared. `step` gets the number of images of each piece.
    """
    for place, piece in enumerate(archive.pieces):
        for table in OF_IMAGES:
            with transaction.atomic():
                _compare(archive, table, place, read_rows(table, project, piece))
        step(piece.images)
    if sum(piece.images for piece in archive.pieces) != project.images.count():
        raise ArchiveError(f"{project.name} has other images than the archive {archive.folder}.")
    for table in OF_PROJECT if of_project else ():
        with transaction.atomic():
            _compare(archive, table, 0, read_rows(table, project, None))


def _compare(archive: Archive, table: Table, place: int, here: Iterator[Any]) -> None:
    if found := difference(table, here, as_here(table, archive.read(table.name, place))):
        raise ArchiveError(
            f"The archive {archive.folder} and the database differ: {found}. The project has changed since it was "
            "written: write a new archive into another folder."
        )


def as_here(table: Table, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the rows as this database can hold them: an account that is gone is named by no row."""
    columns = [field.column for field in table.fields if isinstance(field, ForeignKey) and field.related_model is User]
    if not columns:
        yield from batches
        return
    import pyarrow as arrow

    there = set(User.objects.values_list("pk", flat=True))
    for batch in batches:
        for column in columns:
            index = batch.schema.get_field_index(column)
            kept = [one if one in there else None for one in batch.column(index).to_pylist()]
            batch = batch.set_column(index, column, arrow.array(kept, arrow.int64()))
        yield batch
