"""The upgrade of PostgreSQL: the old server's database is copied into the empty one of a new server.

The old database is only read, and the new one gets everything in one transaction. So a copy that fails leaves both as
they were.
"""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, cast

from django.db import DatabaseError, connections

from config.backups.engines import MIGRATIONS, BackupError, PostgreSql, find_program
from upkeep.inside_django import migrations_of_the_code, program_arguments

OLD, NEW = "old", "default"
PLACE = ("HOST", "PORT", "NAME")
VARIABLES = {OLD: "OLD_DATABASE_URL", NEW: "DATABASE_URL"}
SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences"
OTHERS = """
    SELECT DISTINCT coalesce(nullif(application_name, ''), usename) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
ENCODING = "SHOW server_encoding"
NO_WRITES = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The result of a copy: the main versions of both servers, and the rows of each table."""

    before: int
    after: int
    rows: dict[str, int]


def upgrade_database(*, wait: float, step: Callable[[int], object] = lambda size: None) -> Upgraded:
    """Copy the database of OLD_DATABASE_URL into the empty one of DATABASE_URL, and compare both.

    `wait`: seconds in which both servers must have begun to answer. `step` gets the number of bytes that were copied.
    Raises BackupError and DatabaseError.
    """
    _check_settings()
    for alias in (OLD, NEW):
        _wait_for(alias, wait)
    _rows(OLD, NO_WRITES)
    _check_servers()
    _check_content()
    dump = _Dump(step)
    try:
        PostgreSql().load(cast(IO[bytes], dump))
    except BackupError as error:
        raise BackupError(
            f"{error} The old database is as it was, and the new one is still empty: try again."
        ) from error
    finally:
        dump.end()
    rows = _compared()
    return Upgraded(_version(OLD), _version(NEW), rows)


def _compared() -> dict[str, int]:
    """Return the number of rows of each table. Raises BackupError unless tables and sequences are the same in both."""
    old, new = ({**_rows_of(alias), **dict(_rows(alias, SEQUENCES))} for alias in (OLD, NEW))
    if differ := sorted(name for name in {*old, *new} if old.get(name, "") != new.get(name, "")):
        raise BackupError(
            f"The new database differs from the old one in {', '.join(differ)}: somebody wrote to the old one "
            "meanwhile. Remove the new one, stop every process of the service, and try again."
        )
    return _rows_of(NEW)


class _Dump:
    """The output of the new version's pg_dump about the old database, as a file that is read once."""

    def __init__(self, step: Callable[[int], object]) -> None:
        (*place, database), extra = program_arguments(OLD)
        options = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges", "--no-password"]
        command = [find_program("pg_dump", _version(NEW)), *options, *place, f"--dbname={database}"]
        environment = {**os.environ, **extra}
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._step = step

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raises BackupError instead of an end if pg_dump failed."""
        assert self._process.stdout and self._process.stderr
        data = self._process.stdout.read(size)
        self._step(len(data))
        if not data:
            said = " ".join(self._process.stderr.read().decode(errors="replace").split())
            if self._process.wait():
                raise BackupError(f"pg_dump failed: {said[-1000:]}")
        return data

    def end(self) -> None:
        """End pg_dump, if the copy failed before its end."""
        self._process.kill()
        self._process.communicate()


def _check_settings() -> None:
    if OLD not in connections.settings:
        raise BackupError(
            "OLD_DATABASE_URL is not set: it names the old database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE."
        )
    for alias in (OLD, NEW):
        if connections[alias].vendor != "postgresql":
            raise BackupError(f"{VARIABLES[alias]} is no database of PostgreSQL: SQLite's file needs no upgrade.")


def _wait_for(alias: str, seconds: float) -> None:
    """Wait until the server answers. Raises BackupError after so many seconds."""
    until = time.monotonic() + seconds
    while True:
        try:
            connections[alias].ensure_connection()
            return
        except DatabaseError as error:
            if time.monotonic() >= until:
                first = (str(error).strip().splitlines() or [type(error).__name__])[0]
                raise BackupError(f"The database of {VARIABLES[alias]} does not answer: {first}") from error
        time.sleep(min(1.0, seconds / 10))


def _check_servers() -> None:
    """Raises BackupError if one server cannot take what the other one has."""
    old, new = _version(OLD), _version(NEW)
    if len({tuple(connections[alias].settings_dict[part] for part in PLACE) for alias in (OLD, NEW)}) == 1:
        raise BackupError("OLD_DATABASE_URL and DATABASE_URL name the same database.")
    if old > new:
        raise BackupError(f"The old server has version {old}, and the new one version {new}, which is older.")
    for name in ("pg_dump", "pg_restore"):
        find_program(name, new)
    [(before,)], [(after,)] = _rows(OLD, ENCODING), _rows(NEW, ENCODING)
    if after not in (before, "UTF8"):
        raise BackupError(f"The new database keeps texts as {after}, the old one as {before}: make it with UTF8.")


def _check_content() -> None:
    """Raises BackupError if the old database is not the service's, is in use, or the new one is not empty."""
    if "django_migrations" not in _tables(OLD):
        raise BackupError("The old database holds no Chainbox: check OLD_DATABASE_URL.")
    ours = migrations_of_the_code()
    apps = {app for app, _ in ours}
    unknown = [f"{app}.{name}" for app, name in _rows(OLD, MIGRATIONS) if app in apps and (app, name) not in ours]
    if unknown:
        raise BackupError(
            f"The old database is of a newer version of the service ({unknown[0]}): install that version."
        )
    if others := sorted(name for (name,) in _rows(OLD, OTHERS)):
        raise BackupError(
            f"The old database is in use ({', '.join(others)}): stop web, worker and beat first. What they write "
            "during the copy would be lost."
        )
    if tables := _tables(NEW):
        raise BackupError(f"The new database is not empty: it has {len(tables)} tables. Nothing was copied.")


def _rows_of(alias: str) -> dict[str, int]:
    """Return the number of rows of each table."""
    quote = connections[alias].ops.quote_name
    return {name: _rows(alias, f"SELECT count(*) FROM {quote(name)}")[0][0] for name in _tables(alias)}


def _tables(alias: str) -> list[str]:
    return connections[alias].introspection.table_names()


def _version(alias: str) -> int:
    connections[alias].ensure_connection()
    return int(cast(Any, connections[alias]).pg_version) // 10000


def _rows(alias: str, sql: str) -> list[Any]:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall()) if cursor.description else []
