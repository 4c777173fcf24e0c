"""The upgrade of PostgreSQL: everything is copied into a new server, or nothing, and the old one is never changed."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections
from environ import Env

from config.backups import upgrade
from config.backups.engines import BackupError
from pipeline.rules.tasks.task import Task
from tests.support.empty_place import TABLES, read
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.services import make_cluster, postgres, postgres_program

ROOT = Path(__file__).resolve().parents[2]
Upgrade = Callable[..., str]


def rows_at(url: str) -> dict[str, list[Any]]:
    with closing(psycopg2.connect(url)) as database, database.cursor() as cursor:
        return {table: read(cursor, table) for table in TABLES}


pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "old"])


@pytest.fixture(scope="module", autouse=True)
def old_alias(django_db_setup: None) -> Iterator[None]:
    """OLD_DATABASE_URL names the test's own database, as far as Django knows."""
    connections.settings["old"] = dict(connection.settings_dict)
    yield
    connections["old"].close()
    del connections["old"], connections.settings["old"]


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A folder that the postgres user can pass through, unlike those of pytest."""
    with TemporaryDirectory(prefix="chainbox-upgrade-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def new_server(open_folder: Path) -> Iterator[str]:
    """A fresh cluster of Debian's version, with an empty database; its URL."""
    with postgres(open_folder / "postgres", durable=False) as url:
        yield url


@pytest.fixture
def old_url(real_services: None) -> Iterator[str]:
    """The test's own database, with a project that was answered."""
    project = project_of(phrases("people: a man", "people: a person", "people: he", "scene: a park"), name="small")
    answer(project, worker(project, "ann"), Task.COREFERENCE_LINK, "same")
    yield os.environ["DATABASE_URL"].rpartition("/")[0] + "/" + connection.settings_dict["NAME"]
    connection.close()


@pytest.fixture
def run(old_url: str, new_server: str) -> Iterator[Upgrade]:
    """Run the command in this process, from the test's database into an empty one of the new server."""
    with closing(psycopg2.connect(new_server)) as database, database.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        database.commit()

    def call(old: str = old_url, new: str = new_server) -> str:
        said = StringIO()
        with ExitStack() as stack:
            for alias, url in (("old", old), ("default", new)):
                connections[alias].close()
                stack.enter_context(patch.dict(connections[alias].settings_dict, Env.db_url_config(url)))
                stack.callback(connections[alias].close)
            call_command("upgrade_database", "--wait", "0", stdout=said)
        return said.getvalue()

    yield call


@pytest.mark.slow
@pytest.mark.services
def test_the_new_server_has_every_row_and_the_old_one_is_as_it_was(run: Upgrade, old_url: str, new_server: str) -> None:
    before = rows_at(old_url)
    assert len(before["pipeline_judgment"]) == 1
    said = run()
    assert "rows are equal" in said and "PostgreSQL 15 to 15" in said.replace(said.split()[1], "15")
    assert rows_at(new_server) == before == rows_at(old_url)
    with pytest.raises(CommandError, match=r"The new database is not empty: it has \d+ tables. Nothing was copied."):
        run()


@pytest.mark.services
def test_a_copy_that_fails_leaves_the_new_database_empty_and_can_be_tried_again(
    run: Upgrade, old_url: str, new_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_at(old_url)
    whole = upgrade._Dump.read

    def breaks_off(self: Any, size: int = -1) -> bytes:
        if not whole(self, size):  # all but the end has arrived
            raise BackupError("pg_dump failed: the line is cut.")
        return b""

    monkeypatch.setattr(upgrade._Dump, "read", lambda self, size=-1: whole(self, size) or breaks_off(self, size))
    with pytest.raises(
        CommandError, match=r"the line is cut\. The old database is as it was, and the new one is still"
    ):
        run()
    assert rows_at(old_url) == before
    monkeypatch.setattr(upgrade._Dump, "read", whole)
    run()
    assert rows_at(new_server) == before


@pytest.mark.slow
@pytest.mark.services
def test_what_is_wrong_is_said_before_anything_is_copied(run: Upgrade, old_url: str, new_server: str) -> None:
    dead = "postgres://chainbox:hidden@127.0.0.1:1/chainbox"  # pragma: allowlist secret
    nothing = new_server.rpartition("/")[0] + "/postgres"
    for old, new, why in (
        (old_url, old_url, "name the same database"),
        (dead, new_server, "The database of OLD_DATABASE_URL does not answer"),
        (old_url, dead, "The database of DATABASE_URL does not answer"),
        (nothing, new_server, "The old database holds no Chainbox"),
    ):
        with pytest.raises(CommandError, match=why) as error:
            run(old, new)
        assert "hidden" not in str(error.value)
    in_use = pytest.raises(CommandError, match=r"in use \(jobs soon\): stop web, worker and beat first")
    with closing(psycopg2.connect(old_url, application_name="jobs soon")), in_use:
        run()
    run()


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        with pytest.raises(CommandError, match="OLD_DATABASE_URL is no database of PostgreSQL"):
            call_command("upgrade_database")
    monkeypatch.delitem(connections.settings, "old")
    with pytest.raises(CommandError, match="OLD_DATABASE_URL is not set"):
        call_command("upgrade_database")


@pytest.fixture
def starts(open_folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run deploy/upgrade/postgres.sh beside a folder of an old database; the image's own script is replaced."""
    for name, text in (
        ("bin/docker-entrypoint.sh", '#!/bin/sh\necho "started: $*"\n'),
        ("postgres.sh", (ROOT / "deploy/upgrade/postgres.sh").read_text()),
        ("old/PG_VERSION", ""),
    ):
        (open_folder / name).parent.mkdir(exist_ok=True)
        (open_folder / name).write_text(text)
        (open_folder / name).chmod(0o755)
        (open_folder / name).parent.chmod(0o755)

    def run(new: Path, *, user: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        path = f"{open_folder / 'bin'}:{Path(postgres_program('postgres')).parent}:{os.environ['PATH']}"
        env = {
            "PATH": path,
            "PGDATA": str(new),
            "OLD_PGDATA": str(open_folder / "old"),
            "POSTGRES_DB": "postgres",
            **more,
        }
        command = ["sh", str(open_folder / "postgres.sh"), "postgres"]
        return subprocess.run(command, env=env, user=user, cwd="/", capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_postgres_does_not_start_empty_beside_an_old_database(
    starts: Callable[..., subprocess.CompletedProcess[str]], open_folder: Path
) -> None:
    assert starts(open_folder / "none").stdout == "started: postgres\n"
    (open_folder / "old/PG_VERSION").write_text("15\n")
    user = make_cluster(open_folder / "cluster")
    new = open_folder / "cluster/data"
    for done in (starts(open_folder / "none"), starts(new, user=user)):
        assert done.returncode == 1 and not done.stdout, done.stderr
        assert "holds a database of PostgreSQL 15, which was not upgraded yet" in done.stderr
        assert "UPGRADE=yes docker-compose run --rm upgrade" in done.stderr
    assert starts(new, user=user, UPGRADE="yes").stdout == "started: postgres\n"
    command = [postgres_program("postgres"), "--single", "-D", str(new), "postgres"]
    statement = "CREATE TABLE django_migrations (id int)\n"
    subprocess.run(command, input=statement, text=True, user=user, cwd="/", check=True, capture_output=True)
    assert starts(new, user=user).stdout == "started: postgres\n"
    assert starts(new, user=user, UPGRADE="from").stdout == "started: postgres\n"
    (new / "postmaster.pid").touch()
    for done, why in (
        (starts(new, user=user, UPGRADE="from"), "Another server uses the volume"),
        (starts(open_folder / "none", UPGRADE="from"), "there is nothing to upgrade"),
    ):
        assert done.returncode == 1 and not done.stdout and why in done.stderr
