"""Remove an archived project's images from the database, piece by piece, after they were compared with the archive."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import Model

from annotation.archived import ArchivedProject, read_archived
from annotation.models import Image, Project
from pipeline.models import Entry, Judgment
from projects.archive.manifest import Archive, ArchiveError, locked
from projects.archive.refusals import check_settled
from projects.archive.tables import OF_IMAGES
from projects.archive.verify import verify
from runtime import clock
from runtime.inside_django import delete_unread

Step = Callable[[int], object]


def remove_rows(archive: Archive, project: Project, *, step: Step = lambda images: None) -> None:
    """Remove the rows of its images, or those that an earlier try left. The project's pages are closed meanwhile.

    `step` gets the number of images of each piece, once when it is compared and once when it is removed. Raises
    ArchiveError: if the project is not settled, or differs from the archive; then nothing is removed, and it is open.
    Raises it, too, if another process holds the archive.
    """
    with locked(archive.folder):
        project.refresh_from_db(fields=["away"])  # another process may have removed them meanwhile
        archive.check_files()
        _compare(archive, project, step)
        for place, piece in enumerate(archive.pieces):
            if place >= read_archived(project)["absent"]:
                _remove(archive, project, place)
            step(piece.images)


def _compare(archive: Archive, project: Project, step: Step) -> None:
    """Close the project and compare its rows with the archive, unless some are gone. If they differ, open it again."""
    before = project.away
    if before is None:
        check_settled(project)
    elif before["digest"] != archive.digest:
        raise ArchiveError(f"The rows of {project.name} were removed to another archive: {before['archive']}.")
    elif before["absent"]:
        step(sum(piece.images for piece in archive.pieces))
        return
    # From now on no page and no job reads or changes its images. A process that was killed may not have compared them.
    _write(project, archived_row(archive, absent=0, moved=bool(before and before["moved"])))
    try:
        verify(archive, project, step=step)
    except BaseException:
        _write(project, None)
        raise


def archived_row(archive: Archive, *, absent: int, moved: bool = False) -> ArchivedProject:
    """Return what the row of the archive's project keeps of its images."""
    tables = archive.manifest["tables"]

    def count(model: type[Model]) -> int:
        return tables[model._meta.db_table]["rows"]

    return {
        "archive": str(archive.folder.resolve()),
        "digest": archive.digest,
        "since": clock.now().isoformat(),
        "images": count(Image),
        "judgments": count(Judgment),
        "entries": count(Entry),
        "rows": sum(table["rows"] for table in tables.values() if table["removed"]),
        "pieces": len(archive.pieces),
        "absent": absent,
        "moved": moved,
    }


def _write(project: Project, archived: ArchivedProject | None) -> None:
    Project.objects.filter(pk=project.pk).update(away=archived)
    project.away = archived


@transaction.atomic
def _remove(archive: Archive, project: Project, place: int) -> None:
    """Remove the rows of one piece, what points to a row before the row. Raises ArchiveError if others are there."""
    Project.objects.select_for_update().get(pk=project.pk)
    for table in reversed(OF_IMAGES):
        gone = sum(delete_unread(rows) for rows in table.rows(project.pk, archive.pieces[place]))
        if gone != archive.rows_in(table, place):
            raise ArchiveError(
                f"{project.name} has changed while its rows were removed: {table.name} had {gone:,} rows in place of "
                f"{archive.rows_in(table, place):,}. Bring it back, and write a new archive."
            )
    _write(project, {**read_archived(project), "absent": place + 1})
