"""Make room for an archived project where it never was: its row, its workers, and the rows that would have stayed.

Ids stay what they are, because the record names workers, answers and questions by them. So an archive fits into an
installation where these ids are free, as in a new one.
"""

from collections.abc import Collection, Iterator
from itertools import chain

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max, Min, Model
from django.utils.dateparse import parse_datetime

from accounts.change_members import add_member
from accounts.models import Role
from annotation.archived import ArchivedProject
from annotation.models import Project
from projects.archive.as_here import as_here
from projects.archive.manifest import WORKERS, Archive, ArchiveError
from projects.archive.rows import write_rows
from projects.archive.tables import OF_IMAGES, OF_PROJECT
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
