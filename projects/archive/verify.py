"""Compare an archive with the database, row by row: before rows are removed, and after they came back."""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction

from annotation.models import Project
from projects.archive.as_here import as_here
from projects.archive.manifest import Archive, ArchiveError
from projects.archive.rows import difference, read_rows
from projects.archive.tables import OF_IMAGES, OF_PROJECT, Table


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
