"""Throw-away databases: made for a benchmark, on the engine of the settings, and gone after it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.management import call_command
from django.db import connection


class Scratch:
    """An empty, migrated database; `use` sends every query to it until the next `use`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def use(self) -> None:
        """Send every query of this thread to this database from now on."""
        _switch(self._name)


@contextmanager
def scratch_databases(count: int = 1) -> Iterator[list[Scratch]]:
    """Make `count` databases; on leaving, drop them and go back to the one of the settings, whatever happened.

    SQLite: files in a temporary folder. PostgreSQL: databases named by the process and at random, which needs the
    right to make them.
    The database of the settings is not read, and on SQLite not even opened.
    """
    own = connection.settings_dict["NAME"]
    with _names(count) as names:
        try:
            for name in names:
                _switch(name)
                call_command("migrate", verbosity=0)
            yield [Scratch(name) for name in names]
        finally:
            _switch(own)


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
