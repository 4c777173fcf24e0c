"""Compare an archive with the database, row by row, with what this database can hold of the archive's rows."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ForeignKey

from annotation.models import Project
from projects.archive.manifest import Archive, ArchiveError
from projects.archive.rows import difference, read_rows
from projects.archive.tables import OF_IMAGES, OF_PROJECT, Table

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
