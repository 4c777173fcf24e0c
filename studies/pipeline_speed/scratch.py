"""Temporary databases for a benchmark, on the database engine of the settings."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.management import call_command
from django.db import connection


class Scratch:
    """A temporary database with all migrations applied."""

    def __init__(self, name: str) -> None:
        self._name = name

    def use(self) -> None:
        """Send every query of this thread to this database from now on."""
        _switch(self._name)


@contextmanager
def scratch_databases(count: int = 1) -> Iterator[list[Scratch]]:
    """Make `count` databases. When the block ends, delete them and return to the database of the settings.

    On SQLite they are files in a temporary folder. On PostgreSQL they have random names, and the database user needs
    the right to create databases. The database of the settings is never read, and on SQLite not even opened.
    """
    own = connection.settings_dict["NAME"]
    with _names(count) as names:
        try:
            for name in names:
                _migrate(name)
            yield [Scratch(name) for name in names]
        finally:
            _switch(own)


def _migrate(name: str) -> None:
    """Apply all migrations; on SQLite by a copy of the file in which this process applied them first."""
    _switch(name)
    if connection.vendor == "sqlite" and _migrated:
        Path(name).write_bytes(_migrated[0])
        return
    call_command("migrate", verbosity=0)
    if connection.vendor == "sqlite":
        connection.close()  # which moves what is in the log into the file
        _migrated.append(Path(name).read_bytes())


_migrated: list[bytes] = []


@contextmanager
def _names(count: int) -> Iterator[list[str]]:
    if connection.vendor == "sqlite":
        with TemporaryDirectory(prefix="chainbox-benchmark-") as folder:
            yield [str(Path(folder) / f"{number}.sqlite3") for number in range(count)]
        return
    names: list[str] = []
    try:
        for _ in range(count):
            name = f"chainbox_benchmark_{os.getpid()}_{secrets.token_hex(4)}"
            _execute(f"CREATE DATABASE {connection.ops.quote_name(name)}")
            names.append(name)
        yield names
    finally:
        for name in names:
            _execute(f"DROP DATABASE {connection.ops.quote_name(name)}")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _switch(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
