"""Bring an archived project's images back, piece by piece, and compare them with the archive.

Where the project never was, room is made first: its row, its workers, and the rows that would have stayed. Ids stay
what they are, because the record names workers, answers and questions by them. So an archive fits into an installation
where these ids are free, as in a new one.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import chain

from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import IntegrityError, connection, transaction
from django.db.models import Max, Min, Model
from django.utils.dateparse import parse_datetime

from accounts.members import add_member
from accounts.models import Role
from annotation.archived import ArchivedProject, read_archived
from annotation.models import Project
from annotation.storage import store
from projects.archive.manifest import PICTURES, WORKERS, Archive, ArchiveError, as_here, digest_of, locked, verify
from projects.archive.tables import OF_IMAGES, OF_PROJECT, write_rows
from projects.archive.write_archive import archived_row
from workers.models import Worker

STRANGE = frozenset({"platforms.Screening"})
"""Tables whose rows point to accounts on platforms, which are not in an archive."""


@transaction.atomic
def make_room(archive: Archive, archived: ArchivedProject, owner: User | None) -> Project:
    """Make the project, as one whose images are away. `owner` becomes its requester; nobody else is a member.

    Raises ArchiveError if an id or a name is taken, or if rows are missing that would have stayed.
    """
    of = archive.manifest["project"]
    if Project.objects.filter(name=of["name"]).exists():
        raise ArchiveError(f"Another project is called {of['name']} here: an archive comes back under its own name.")
    for model, ids in _ids(archive):
        if taken := next(iter(model._default_manager.filter(pk__in=ids).values_list("pk", flat=True)[:1]), None):
            raise ArchiveError(
                f"The {model._meta.verbose_name} {taken} is another one here. Ids stay what they are: bring "
                f"{of['name']} back where it was, or into an empty database."
            )
    _add_workers(archive)
    project = Project(**{**of, "created_at": parse_datetime(of["created_at"]), "away": archived})
    project.save(force_insert=True)
    for table in OF_PROJECT:
        if table.label not in STRANGE:
            for batch in as_here(table, archive.read(table.name), moved=True):
                write_rows(table, batch)
    if owner is not None:
        add_member(owner, project, Role.REQUESTER)
    _count_on()
    return project


def _ids(archive: Archive) -> Iterator[tuple[type[Model], Collection[int]]]:
    """Yield ids of the archive that may be taken here, by table."""
    yield Project, [archive.manifest["project"]["id"]]
    for table in (*OF_IMAGES, *OF_PROJECT):
        here = table.model._default_manager.aggregate(first=Min("pk"), last=Max("pk"))
        for place in range(len(archive.pieces)) if table.images else [0]:
            for batch in archive.read(table.name, place):
                ids = batch.column(table.model._meta.pk.column).to_pylist()  # type: ignore[union-attr]
                if here["last"] is not None and min(ids) <= here["last"] and max(ids) >= here["first"]:
                    yield table.model, ids


def _add_workers(archive: Archive) -> None:
    """Add the workers who are not here. Raises ArchiveError if one of the numbers is somebody else's."""
    told = list(chain.from_iterable(batch.to_pylist() for batch in archive.read(WORKERS)))
    here = dict(Worker.objects.filter(pk__in=[row["id"] for row in told]).values_list("pk", "created_at"))
    if other := [row for row in told if here.get(row["id"], row["created_at"]) != row["created_at"]]:
        raise ArchiveError(f"The worker {other[0]['id']} is somebody else here: bring it back into an empty database.")
    new = [Worker(**row) for row in told if row["id"] not in here]
    names = set(Worker.objects.filter(name__in=[worker.name for worker in new]).values_list("name", flat=True))
    if names:
        raise ArchiveError(f"Somebody else is called {sorted(names)[0]} here: rename that worker first.")
    Worker.objects.bulk_create(new)


def _count_on() -> None:
    """Let PostgreSQL give new ids behind those that came."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        models: list[type[Model]] = [Project, Worker, *(table.model for table in (*OF_IMAGES, *OF_PROJECT))]
        for model in models:
            if model._meta.pk.column == "id":  # type: ignore[union-attr]
                name = model._meta.db_table
                place = f"pg_get_serial_sequence('{name}', 'id')"
                cursor.execute(f"SELECT setval({place}, greatest((SELECT max(id) FROM {name}), nextval({place})))")


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
