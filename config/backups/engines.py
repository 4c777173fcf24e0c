"""The database of a backup: PostgreSQL through its own programs, SQLite through its online backup."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import connection, connections, transaction

from runtime.inside_django import program_arguments

PAGES_AT_ONCE = 2000
"""Pages of SQLite that are copied between two reports of progress."""
PROJECTS = """
    SELECT p.name,
        (SELECT max(version) FROM pipeline_settingsversion s WHERE s.project_id = p.id),
        (SELECT count(*) FROM annotation_image i WHERE i.project_id = p.id),
        (SELECT count(*) FROM pipeline_entry e WHERE e.project_id = p.id),
        (SELECT count(*) FROM pipeline_judgment j JOIN pipeline_assignment a ON a.id = j.assignment_id
            WHERE a.project_id = p.id)
    FROM annotation_project p ORDER BY p.name
"""
COLUMNS = ("settings_version", "images", "entries", "judgments")
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY app, name"


class BackupError(Exception):
    """A backup cannot be made or restored. The message tells why, and what to do."""


@dataclass(frozen=True, slots=True)
class Content:
    """The migrations and projects of a database at one moment."""

    migrations: list[str]
    projects: dict[str, dict[str, int]] = field(default_factory=dict)


def read_content(execute: Callable[[str], list[Any]]) -> Content:
    """Return the applied migrations, and the counts of each project."""
    migrations = [f"{app}.{name}" for app, name in execute(MIGRATIONS)]
    projects = {name: dict(zip(COLUMNS, counts, strict=True)) for name, *counts in execute(PROJECTS)}
    return Content(migrations, projects)


def content_now() -> Content:
    """Return what the service's database holds now."""

    def execute(sql: str) -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    return read_content(execute)


class Sqlite:
    """An embedded database: one file, copied while it is in use."""

    name = "sqlite"
    member = "database.sqlite3"
    version = sqlite3.sqlite_version_info[0]

    @property
    def path(self) -> Path:
        return Path(connection.settings_dict["NAME"])

    def dump(self, target: Path, step: Callable[[int, int], object]) -> Content:
        """Copy the database at this moment; nobody has to wait. `step` gets the pages copied so far, and all."""
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(target)) as copy:
            # An open transaction holds this moment; otherwise the copy would begin anew with each write.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(
                copy, pages=PAGES_AT_ONCE, progress=lambda status, left, pages: step(pages - left, pages), sleep=0
            )
            source.rollback()
            copy.execute("PRAGMA journal_mode=DELETE")
            return read_content(lambda sql: copy.execute(sql).fetchall())

    def load(self, file: IO[bytes]) -> None:
        """Make the file the service's database. Raises BackupError if SQLite finds it damaged."""
        aside = self.path.with_name(f"{self.path.name}.partial")
        try:
            with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                shutil.copyfileobj(file, out)
                out.flush()
                os.fsync(out.fileno())
            with closing(sqlite3.connect(aside)) as copy:
                if (verdict := copy.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
                    raise BackupError(f"The database in the backup is damaged: {verdict}")
            connections.close_all()
            for ending in ("-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            aside.replace(self.path)
        except sqlite3.Error as error:
            raise BackupError(f"The database in the backup is damaged: {error}") from error
        finally:
            aside.unlink(missing_ok=True)


class PostgreSql:
    """A database on a server, through pg_dump and pg_restore of the server's own version."""

    name = "postgresql"
    member = "database.dump"

    @property
    def version(self) -> int:
        with connection.cursor():
            return int(connection.pg_version) // 10000  # type: ignore[attr-defined]

    def dump(self, target: Path, step: Callable[[int, int], object]) -> Content:
        """Write the database at this moment; nobody has to wait."""
        program = find_program("pg_dump", self.version)
        with transaction.atomic(), connection.cursor() as cursor:
            # The counts and the dump see the same moment.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            [snapshot] = cursor.fetchone()
            options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--file={target}"]
            self._run(program, *options)
            step(1, 1)
            return content_now()

    def load(self, file: IO[bytes]) -> None:
        """Write the dump into the empty database, whole or not at all."""
        program = find_program("pg_restore", self.version)
        self._run(program, "--single-transaction", "--no-owner", "--no-privileges", feed=file)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")

    def _run(self, program: str, *options: str, feed: IO[bytes] | None = None) -> None:
        """Run a program of PostgreSQL on the service's database. The password is in its environment only.

        A feed that fails ends the program, too: its end must not be taken for the whole.
        """
        (*place, database), extra = program_arguments()
        command = [program, *options, *place, f"--dbname={database}"]
        with TemporaryFile() as errors:  # a pipe that is full of warnings would block both
            with subprocess.Popen(
                command,
                env={**os.environ, **extra},
                stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                stderr=errors,
            ) as process:
                if feed and process.stdin:
                    try:
                        shutil.copyfileobj(feed, process.stdin)
                    except BrokenPipeError:
                        pass  # the program has ended early and says why
                    except BaseException:
                        process.kill()
                        process.wait()
                        raise
                    finally:
                        with suppress(BrokenPipeError):  # nobody reads what is left in the buffer
                            process.stdin.close()
            if process.returncode:
                errors.seek(0)
                message = " ".join(errors.read().decode(errors="replace").split())
                raise BackupError(f"{Path(program).name} failed: {message[-1000:]}")


def find_program(name: str, server: int) -> str:
    """Return the path of PostgreSQL's program. Raises BackupError unless it has the server's main version."""
    path = next(
        (p for p in (f"/usr/lib/postgresql/{server}/bin/{name}", shutil.which(name)) if p and Path(p).exists()), None
    )
    install = (
        f"install the client of PostgreSQL {server} (on Debian, as root: apt-get install postgresql-client-{server})"
    )
    if path is None:
        raise BackupError(f"{name} is not installed: {install}.")
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)(?:\.|\b)", text)
    if found is None or int(found[1]) != server:
        shown = found[1] if found else "unknown"
        raise BackupError(f"{name} has version {shown}, but the server has version {server}: {install}.")
    return path


def engine() -> Sqlite | PostgreSql:
    """Return the engine of the service's database."""
    return Sqlite() if connection.vendor == "sqlite" else PostgreSql()
