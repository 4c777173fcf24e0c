"""Bring an archived project's images back into the database, piece by piece, and compare them with the archive."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import IntegrityError, connection, transaction

from annotation.archived import read_archived
from annotation.models import Project
from annotation.storage import store
from projects.archive.as_here import as_here
from projects.archive.make_room import make_room
from projects.archive.manifest import PICTURES, WORKERS, Archive, ArchiveError, digest_of, locked
from projects.archive.remove_rows import archived_row
from projects.archive.rows import write_rows
from projects.archive.tables import OF_IMAGES
from projects.archive.verify import verify
from workers.models import Worker

Step = Callable[[int], object]


def bring_back(archive: Archive, *, owner: User | None = None, step: Step = lambda images: None) -> Project:
    """Insert the rows that are away, compare them with the archive, and open the project. Returns it.

    A stopped one can be called again. `owner`: the requester of a project that was never here. `step` gets the number
    of images of each piece, once when it is there and once when it was compared. Raises ArchiveError; the project
    stays as it was, but for whole pieces that are back.
    """
    with locked(archive.folder):
        project = _find(archive)
        archive.check_files()
        if project is None:
            project = make_room(archive, archived_row(archive, absent=len(archive.pieces), moved=True), owner)
        _check_workers(archive)
        for place in reversed(range(len(archive.pieces))):
            if place < read_archived(project)["absent"]:
                _store_pictures(archive, place)
                _insert(archive, project, place)
            step(archive.pieces[place].images)
        _count_anew()
        verify(archive, project, step=step, of_project=False)
        Project.objects.filter(pk=project.pk).update(away=None)
        project.away = None
        return project


def _find(archive: Archive) -> Project | None:
    """Return the project of the archive; None: it was never here.

    Raises ArchiveError if its images are here, or are in another archive.
    """
    project = Project.objects.filter(pk=archive.manifest["project"]["id"]).first()
    if project is None or not archive.is_of(project):
        return None
    if project.away is None:
        raise ArchiveError(f"{project.name} is still there: there is nothing to bring back.")
    if project.away["digest"] != archive.digest:
        raise ArchiveError(
            f"{archive.folder} is not the archive that {project.name} was removed to, or its manifest was changed: "
            f"that one was {project.away['archive']}."
        )
    return project


def _check_workers(archive: Archive) -> None:
    """Raise ArchiveError if a worker is gone to whom rows of the archive point."""
    ids = {row["id"] for batch in archive.read(WORKERS) for row in batch.to_pylist()}
    if gone := sorted(ids - set(Worker.objects.filter(pk__in=ids).values_list("pk", flat=True))):
        raise ArchiveError(
            f"The worker {gone[0]} is no longer here, and answered in it: restore a backup that has them."
        )


def _insert(archive: Archive, project: Project, place: int) -> None:
    """Insert the rows of one piece."""
    away = read_archived(project)
    try:
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=project.pk)
            for table in OF_IMAGES:
                for batch in as_here(table, archive.read(table.name, place), moved=away["moved"]):
                    write_rows(table, batch)
            Project.objects.filter(pk=project.pk).update(away={**away, "absent": place})
    except IntegrityError as error:  # PostgreSQL looks at what rows point to when the transaction ends
        raise ArchiveError(f"The rows do not fit into the database: {error}".strip()) from error
    project.away = {**away, "absent": place}


def _store_pictures(archive: Archive, place: int) -> None:
    """Put the pictures of a piece that are in the archive into storage, unless they are there: nothing changes them."""
    for batch in archive.read(PICTURES, place):
        for row in batch.to_pylist():
            if store().exists(row["name"]):
                continue
            path = archive.inside(f"{PICTURES}/{row['name']}")
            if not path.is_file() or digest_of(path) != row["sha256"]:
                raise ArchiveError(f"The archive is damaged: the picture {row['name']} is missing, or was changed.")
            with path.open("rb") as file:
                store().save(row["name"], File(file))


def _count_anew() -> None:
    """Let PostgreSQL look at the tables anew: with the statistics of empty ones it would read them in the wrong way."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in OF_IMAGES:
                cursor.execute(f"ANALYZE {table.name}")
