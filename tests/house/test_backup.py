"""Backup and restore: into an empty place, whole, and with the same record."""

import hashlib
import json
import os
import re
import sqlite3
import stat
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.conf import settings as service
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction

from config import backups
from config.backups import make_backup, remove_old
from pipeline.protocol.tasks.task import Task
from tests.support.empty_place import TABLES, Place, read, select
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.services import PATIENCE, wait_until

PICTURE = b"not really a picture"


def rows_here() -> dict[str, list[Any]]:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            return {table: database.execute(select(table)).fetchall() for table in TABLES}
    url = os.environ["DATABASE_URL"].rpartition("/")[0] + "/" + connection.settings_dict["NAME"]
    with closing(psycopg2.connect(url)) as database, database.cursor() as cursor:
        return {table: read(cursor, table) for table in TABLES}


@pytest.fixture
def place(transactional_db: None, tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "new")
    if connection.vendor == "sqlite":
        yield made
        return
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {made.database}")
    yield made
    with connection.cursor() as cursor:  # another one: `call` closes the connection
        cursor.execute(f"DROP DATABASE {made.database} WITH (FORCE)")


@pytest.fixture
def files(settings: Any, tmp_path: Path) -> Path:
    """Give the service a folder of its own with a picture, an export, a half-written file and a key."""
    settings.DATA = tmp_path / "old"
    settings.MEDIA_ROOT = settings.DATA / "media"
    for name in ("pictures/ab/one.jpg", "exports/small/coco-1.zip", "pictures/ab/two.jpg.123.partial"):
        path = settings.MEDIA_ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PICTURE)
    (settings.DATA / "secret_key").write_text(settings.SECRET_KEY)
    return Path(settings.DATA)


def rewrite(backup: Path, target: Path, change: Callable[[str, bytes], tuple[str, bytes]]) -> None:
    """Write the backup anew with changed names and contents of its files."""
    with tarfile.open(backup) as old, tarfile.open(target, "w") as new:
        for member in old:
            content = old.extractfile(member)
            assert content is not None
            member.name, data = change(member.name, content.read())
            member.size = len(data)
            new.addfile(member, BytesIO(data))


def answered_project() -> None:
    project = project_of(phrases("people: a man", "people: a person", "people: he", "scene: a park"), name="small")
    for name in ("ann", "bob"):
        answer(project, worker(project, name), Task.COREFERENCE_LINK, "same")


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_restored_service_has_the_same_record_pictures_and_key(place: Place, files: Path, tmp_path: Path) -> None:
    answered_project()
    (tmp_path / "backups").mkdir()
    call_command("backup", tmp_path / "backups")
    [backup] = (tmp_path / "backups").iterdir()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    before = rows_here()
    assert len(before["pipeline_judgment"]) == 2

    done = place.manage("restore", str(backup))
    assert done.returncode == 0, done.stderr
    assert "1 projects, 2 pictures and exports restored." in done.stdout
    assert place.rows() == before
    names = {str(path.relative_to(place.folder)) for path in place.folder.rglob("*.*") if path.suffix != ".sqlite3"}
    assert names == {"media/exports/small/coco-1.zip", "media/pictures/ab/one.jpg"}
    assert (place.folder / "media/pictures/ab/one.jpg").read_bytes() == PICTURE
    if connection.vendor == "sqlite":
        assert (place.folder / "secret_key").read_text() == service.SECRET_KEY
    replayed = place.call("replay", "small")
    assert "1 image replayed" in replayed and "nothing differs" in replayed
    place.call("migrate", "--check")


@pytest.mark.both_engines
def test_a_place_that_is_not_empty_is_never_overwritten(place: Place, files: Path, tmp_path: Path) -> None:
    answered_project()
    call_command("backup", tmp_path / "one.tar")
    (place.folder / "media").mkdir(parents=True)
    (place.folder / "media/mine.jpg").write_text("mine")
    with pytest.raises(CommandError, match=r"media is not empty: name an empty folder with CHAINBOX_DATA\.$"):
        place.call("restore", str(tmp_path / "one.tar"))
    (place.folder / "media/mine.jpg").unlink()
    place.call("restore", str(tmp_path / "one.tar"))
    before = place.rows()
    with pytest.raises(CommandError, match=r"^The database is not empty[^\n]*$"):
        place.call("restore", str(tmp_path / "one.tar"))
    assert place.rows() == before


@pytest.mark.django_db
def test_old_backups_are_removed_but_never_the_newest(files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("chainbox-20200101-000000.tar", "chainbox-20200102-000000.tar", "chainbox-notes.tar"):
        (folder / name).touch()
    remove_old(folder, timedelta(days=14))
    assert {path.name for path in folder.iterdir()} == {"chainbox-20200102-000000.tar", "chainbox-notes.tar"}
    call_command("backup", folder, "--keep-days", "14")
    assert not (folder / "chainbox-20200102-000000.tar").exists() and len([*folder.iterdir()]) == 2


@pytest.mark.django_db
def test_the_next_backup_of_a_folder_waits_for_the_age_of_the_newest(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if seconds:
            raise KeyboardInterrupt  # as a container is stopped

    monkeypatch.setattr("config.management.commands.backup.time.sleep", sleep)
    call_command("backup", tmp_path, every_hours=24)
    assert waits == [0, pytest.approx(24 * 3600, abs=PATIENCE)]
    assert len([*tmp_path.glob("chainbox-*.tar")]) == 1
    with pytest.raises(CommandError, match=r"one\.tar is no folder"):
        call_command("backup", tmp_path / "one.tar", every_hours=24)


def test_a_damaged_backup_is_refused_before_anything_is_written(place: Place, files: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.tar"
    call_command("backup", file)
    data = file.read_bytes()
    for bad in (data[: len(data) // 2], data.replace(PICTURE, PICTURE.upper()), b"hello" * 999):
        file.write_bytes(bad)
        with pytest.raises(CommandError, match=r"not a whole backup|differs from its digest\. Nothing was restored\."):
            place.call("restore", str(file))
        assert not list(place.folder.glob("media/**/*.jpg"))
    file.write_bytes(data)
    place.call("restore", str(file))  # fails if something was written before


def test_a_name_that_leads_out_of_the_folder_is_refused(place: Place, files: Path, tmp_path: Path) -> None:
    inside, outside = "media/pictures/ab/one.jpg", "media/../../outside.jpg"

    def lead_out(name: str, data: bytes) -> tuple[str, bytes]:
        return name.replace(inside, outside), data.replace(inside.encode(), outside.encode())

    rewrite(make_backup(tmp_path / "one.tar").path, tmp_path / "bad.tar", lead_out)
    with pytest.raises(CommandError, match="is not a name of a file"):
        place.call("restore", str(tmp_path / "bad.tar"))
    assert not list(tmp_path.rglob("outside.jpg"))


def test_a_backup_of_a_newer_version_or_another_database_is_refused(place: Place, files: Path, tmp_path: Path) -> None:
    made = make_backup(tmp_path / "one.tar").path
    other = "postgresql" if connection.vendor == "sqlite" else "sqlite"
    for change, sentence in (
        ({"migrations": ["pipeline.9999_later"]}, "of a newer version of the service (pipeline.9999_later)"),
        ({"engine": other}, f"The backup is of {other}, but this service uses {connection.vendor}"),
        ({"format": 2}, "has format 2; this version reads format 1."),
    ):

        def say(name: str, data: bytes, change: dict[str, Any] = change) -> tuple[str, bytes]:
            return name, json.dumps({**json.loads(data), **change}).encode() if name == "manifest.json" else data

        rewrite(made, tmp_path / "changed.tar", say)
        with pytest.raises(CommandError, match=re.escape(sentence)):
            place.call("restore", str(tmp_path / "changed.tar"))


@pytest.mark.both_engines
def test_a_backup_is_of_one_moment_while_answers_come_in(place: Place, files: Path, tmp_path: Path) -> None:
    answered_project()
    stop = threading.Event()
    written: list[str] = []

    def write() -> None:
        try:
            while not stop.is_set():
                name = f"p{len(written)}"
                with transaction.atomic():  # as an import does for each image
                    project_of(phrases("people: a man", "people: he"), name=name)
                written.append(name)
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert wait_until(lambda: bool(written))
        made = make_backup(tmp_path / "one.tar")
        before = len(written)
        assert wait_until(lambda: len(written) > before), "it has written all the time"
    finally:
        stop.set()
        writer.join()
    assert {"small", written[0]} <= set(made.content.projects) < {"small", *written}
    place.call("restore", str(made.path))
    for name in list(made.content.projects)[-2:]:
        assert "nothing differs" in place.call("replay", name)


@pytest.mark.both_engines
def test_a_database_that_cannot_be_restored_leaves_no_pictures_behind(
    place: Place, files: Path, tmp_path: Path
) -> None:
    made = make_backup(tmp_path / "one.tar").path
    database, broken = backups.engine().member, b"no database" * 100

    def damage(name: str, data: bytes) -> tuple[str, bytes]:
        if name == "manifest.json":
            manifest = json.loads(data)
            manifest["files"][database]["sha256"] = hashlib.sha256(broken).hexdigest()
            data = json.dumps(manifest).encode()
        return name, broken if name == database else data

    rewrite(made, tmp_path / "broken.tar", damage)
    with pytest.raises(CommandError) as told:
        place.call("restore", str(tmp_path / "broken.tar"))
    assert len(str(told.value).strip().splitlines()) == 1, told.value
    assert not [path for path in (place.folder / "media").rglob("*") if path.is_file()]
    place.call("restore", str(made))


def test_an_existing_file_and_a_missing_folder_are_refused(transactional_db: None, files: Path, tmp_path: Path) -> None:
    (tmp_path / "there.tar").touch()
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", tmp_path / "there.tar")
    with pytest.raises(CommandError, match="does not exist: make it first"):
        call_command("backup", tmp_path / "nowhere/one.tar")
    assert not list(tmp_path.glob(".chainbox-backup-*"))


def test_a_bucket_needs_a_backup_of_its_own(
    transactional_db: None, files: Path, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.S3_BUCKET = "pictures"
    call_command("backup", tmp_path / "one.tar")
    output = capsys.readouterr().out
    assert "0 pictures and exports" in output
    assert "the bucket pictures, which needs a backup of its own" in output


def test_a_client_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "pg_dump"
    program.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 12.3'\n")
    program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    with pytest.raises(backups.BackupError, match=r"pg_dump has version 12, but the server has version 99: install"):
        backups.find_program("pg_dump", 99)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(backups.BackupError, match=r"pg_dump is not installed: .*apt-get install postgresql-client-99"):
        backups.find_program("pg_dump", 99)


def test_a_restore_that_fails_names_the_cause(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "pg_restore"
    monkeypatch.setattr(backups, "find_program", lambda name, server: str(program))
    monkeypatch.setattr(backups.PostgreSql, "version", 99)

    def restore(script: str, pieces: Iterator[bytes]) -> None:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        backups.PostgreSql().load(cast(IO[bytes], SimpleNamespace(read=lambda size: next(pieces))))

    def cut_off() -> Iterator[bytes]:
        yield from [b"x" * 65_536] * 20
        yield b"x" * 100  # stays in the buffer of the pipe
        raise OSError("the file cannot be read")

    with pytest.raises(OSError, match="the file cannot be read"):
        restore("exec cat >/dev/null", cut_off())
    with pytest.raises(backups.BackupError, match=r"^pg_restore failed: .*the disk is full$"):
        restore("yes warning | head -c 200000 >&2; echo the disk is full >&2; exit 1", cut_off())
