"""A part of the service that fails: the answer and the log name the cause. Each cause is a real one."""

import logging
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import redis
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Project
from annotation.pictures import store_picture
from config.serve import start_ticker
from config.urls import handler500 as handler500  # an address file names it
from exchange import publish_export as publishing
from pipeline.errors import StateMovedError
from runtime.disk_errors import StorageError
from runtime.faults import DISK_FULL, fault_of
from runtime.models import JobRun
from tests.support.projects import phrases, project_of
from tests.support.services import reserved_port, wait_until
from tests.support.table import case


def store_much() -> None:
    Project.objects.bulk_create(Project(name=f"p{number}", title="x" * 190) for number in range(2000))


def full_disk() -> None:
    Path("/dev/full").write_bytes(b"x" * 10_000)  # Linux's own disk that is always full


def cut_connection() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def no_redis() -> None:
    with reserved_port() as port:
        redis.Redis(port=port).ping()


WAYS = {"store": store_much, "disk": full_disk, "cut": cut_connection, "redis": no_redis}
WAYS |= {"broken": Mock(side_effect=ValueError("a mistake of the program")), "moved": Mock(side_effect=StateMovedError)}


def page(request: HttpRequest, way: str) -> HttpResponse:
    WAYS[way]()
    return HttpResponse("done")


class Call(APIView):
    authentication_classes = ()
    permission_classes = ()

    def get(self, request: Request, way: str) -> Response:
        WAYS[way]()
        return Response("done")


urlpatterns = [path("page/<way>/", page), path("api/<way>/", Call.as_view()), path("", include("config.urls"))]
pytestmark = [pytest.mark.both_engines, pytest.mark.urls(__name__)]
LINES = "runtime.faults"


def check(client: Client, way: str, code: str, words: str, caplog: pytest.LogCaptureFixture, cause: str) -> None:
    """Check that a page and a call of the API answer with these words, and log one line with the cause."""
    answer = client.get(f"/page/{way}/")
    assert (answer.status_code, words in answer.text) == (503, True), answer.text
    assert answer["Retry-After"] and answer["Cache-Control"] == "no-store"
    call = client.get(f"/api/{way}/")
    assert (call.status_code, call.json()["code"]) == (503, code)
    assert words in call.json()["message"] and call["Retry-After"] == answer["Retry-After"]
    lines = [record.getMessage() for record in caplog.records if record.name == LINES]
    assert [line.split(":")[0] for line in lines] == [f"/page/{way}/", f"/api/{way}/"]
    assert all(cause in line and line.endswith(f"[{code}]") for line in lines), lines
    assert "Traceback" not in caplog.text


@contextmanager
def database_at(**place: Any) -> Iterator[None]:
    """Look for the database elsewhere. The test is skipped on an engine that has no such place."""
    if ("NAME" in place) != (connection.vendor == "sqlite"):
        pytest.skip("PostgreSQL opens no file, and SQLite has no server")
    before = {name: connection.settings_dict[name] for name in place}
    connection.close()
    connection.settings_dict.update(place)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.mark.django_db(transaction=True)
class TestDatabase:
    @pytest.fixture
    def small(self) -> Iterator[None]:
        """An SQLite that may not grow."""
        if connection.vendor != "sqlite":
            pytest.skip("limits the pages of SQLite")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA page_count")
            cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0] + 2}")
        yield
        connection.close()

    def test_that_is_full_is_no_busy_one(self, client: Client, small: None, caplog: pytest.LogCaptureFixture) -> None:
        check(client, "store", "disk_full", "disk of the service is full", caplog, "database or disk is full")

    def test_that_another_process_writes_is_busy(self, client: Client, caplog: pytest.LogCaptureFixture) -> None:
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL locks rows")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 50")
        other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            check(client, "store", "busy", "Nothing is lost; try again in a moment", caplog, "database is locked")
        finally:
            other.close()
            connection.close()
        assert {record.levelno for record in caplog.records if record.name == LINES} == {logging.WARNING}

    @case("that cannot be opened is named", "gone/chainbox.sqlite3", "unable to open database file")
    @case("that is no database is named", "rubbish", "file is not a database")
    def test_that_is_a_bad_one(
        self, name: str, cause: str, client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "rubbish").write_bytes(b"rubbish" * 1000)
        with database_at(NAME=str(tmp_path / name)):
            check(client, "store", "bad_database", "cannot be read or written", caplog, cause)

    def test_that_cuts_the_connection_is_named(self, client: Client, caplog: pytest.LogCaptureFixture) -> None:
        if connection.vendor != "postgresql":
            pytest.skip("SQLite has no connections")
        answer = client.get("/page/cut/")
        connection.close()
        assert answer.status_code == 503 and "database of the service does not answer" in answer.text
        (line,) = [record.getMessage() for record in caplog.records if record.name == LINES]
        assert line.startswith("/page/cut/: ") and "connection" in line and line.endswith("[no_database]")

    def test_that_does_not_run_is_named(self, client: Client, caplog: pytest.LogCaptureFixture) -> None:
        with reserved_port() as port, database_at(PORT=port):
            check(client, "store", "no_database", "does not answer", caplog, "Connection refused")


def test_a_full_disk_is_named(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    check(client, "disk", "disk_full", "disk of the service is full", caplog, "No space left on device")


@pytest.mark.slow
def test_a_queue_that_does_not_answer_is_named(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    check(client, "redis", "no_queue", "queue of jobs (Redis) does not answer", caplog, "Connection refused")


def test_a_row_that_moved_is_logged_and_a_mistake_of_the_program_stays_an_error_with_its_traceback(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/api/moved/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "busy", "1")
    assert "/api/moved/: A row changed after it was read" in caplog.text
    client.raise_request_exception = False
    assert client.get("/page/broken/").status_code == 500
    assert "ValueError: a mistake of the program" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_database_that_fails_before_a_page_begins_is_named_too(
    client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: object, request: HttpRequest, response: object) -> None:
        store_much()

    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_response", fails)
    with database_at(NAME=str(tmp_path / "gone" / "chainbox.sqlite3")):
        answer = client.get(reverse("account_login"))
    assert answer.status_code == 503 and "cannot be read or written" in answer.text
    assert "Traceback" not in caplog.text


@pytest.mark.django_db
class TestFolder:
    @pytest.fixture
    def address(self, settings: Any, tmp_path: Path) -> str:
        settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = True, tmp_path / "media"
        image = project_of(phrases("people: a man"), name="parks").images.get()
        image.picture = store_picture(Path(__file__).parents[2] / "docs/images/image.png", picture_format="PNG")
        image.save()
        return reverse("gallery:picture", args=[image.pk, "screen"])

    def test_that_is_not_mounted_or_cannot_be_read_is_no_missing_picture(
        self, client: Client, address: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "media").rename(tmp_path / "away")
        assert client.get(address).status_code == 503 and "the folder of files is missing" in caplog.text
        (tmp_path / "media").symlink_to(tmp_path / "media")  # a circle, which not even root can read
        answer = client.get(address)
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")
        assert "The files cannot be reached right now" in answer.text
        assert f"{address}: the folder of files fails: [Errno 40]" in caplog.text

    def test_where_an_export_finds_a_full_disk_makes_it_once_there_is_room(
        self, client: Client, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(publishing, "export_dataset", lambda **_: full_disk())
            answer = client.get("/projects/parks/export/coco/")
        assert answer.status_code == 503 and "disk of the service is full" in answer.text
        assert "No space left on device" in JobRun.objects.get().problem
        again = client.get("/projects/parks/export/coco/")
        assert again.status_code == 200 and b"".join(again)  # type: ignore[arg-type]  # it streams

    def test_that_is_full_is_a_full_disk_and_keeps_no_part_of_the_file(self, settings: Any, tmp_path: Path) -> None:
        with small_disk(tmp_path) as folder:
            settings.MEDIA_ROOT = folder
            with pytest.raises(StorageError, match="No space left") as raised:
                store_picture(Path(__file__).parents[2] / "docs/images/image.png", picture_format="PNG")
            assert fault_of(raised.value) == DISK_FULL
            assert [one for one in folder.rglob("*") if one.is_file()] == []


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of 16 KB. Only root may make one."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_tick_that_meets_a_full_disk_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    stop = start_ticker(full_disk, every=60)
    try:
        assert wait_until(lambda: "[disk_full]" in caplog.text)
    finally:
        stop.set()
    assert "A tick failed" in caplog.text and "Traceback" not in caplog.text
    connections.close_all()
