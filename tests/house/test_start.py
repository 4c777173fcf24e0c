"""The start of processes: one line that says what is wrong and what to do, and a supervisor's restart after a kill."""

import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from pytest_django.plugin import DjangoDbBlocker
from redis.exceptions import ConnectionError as RedisConnectionError

from config.start import NO_BROKER, PREPARING, NotReadyError, check, explain, prepare, run
from tests.support.served import ROOT, environment, manage, status
from tests.support.services import PATIENCE, child, reserved_port, wait_until

DEAD = "postgres://user:hidden@127.0.0.1:1/chainbox"  # pragma: allowlist secret
SECRET = "x" * 40


def process(folder: Path, name: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run scripts/process.sh for a process that must not start."""
    command = ["scripts/process.sh", name]
    env = {**environment(folder), **more}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)


def only_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.fixture
def migrated(empty_service: Path, tmp_path: Path) -> Path:
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.slow
def test_a_process_of_a_server_without_a_broker_does_not_start(tmp_path: Path, settings: Any):
    assert "REDIS_URL is not set" in only_line(process(tmp_path, "web", DATABASE_URL=DEAD, SECRET_KEY=SECRET))
    settings.REDIS_URL = ""
    for name, why in NO_BROKER.items():
        with pytest.raises(ImproperlyConfigured, match=f"REDIS_URL is not set: {why}"):
            check(name)


@pytest.mark.slow
def test_a_dead_database_is_one_line_without_its_password(tmp_path: Path):
    server = {"DATABASE_URL": DEAD, "SECRET_KEY": SECRET, "REDIS_URL": "redis://127.0.0.1:1/0"}
    line = only_line(process(tmp_path, "web", **server))
    assert "does not answer" in line and "DATABASE_URL" in line and "hidden" not in line


def test_a_worker_waits_for_the_migrations(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    with django_db_blocker.unblock(), monkeypatch.context() as patch:
        connection.close()
        patch.setitem(connection.settings_dict, "NAME", str(tmp_path / "empty.sqlite3"))
        with pytest.raises(NotReadyError, match=r"not up to date: start web.*'manage\.py migrate'") as it:
            check("worker")
        connection.close()
    assert explain(it.value) == str(it.value)


@pytest.mark.services
def test_of_several_web_processes_one_prepares_the_service_while_others_wait(
    real_services: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch
):
    done: list[str] = []
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
        monkeypatch.setattr("config.start.call_command", lambda name, **_: done.append(name))

        def look_again(seconds: float) -> None:
            assert done == []
            done.append("waited")
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARING])

        monkeypatch.setattr("config.start.time.sleep", look_again)
        prepare("web")
        assert done == ["waited", "migrate", "collectstatic"]
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [PREPARING])
        assert cursor.fetchone() == (True,)
    other.close()


def test_migrations_can_be_left_to_a_process_of_their_own(
    settings: Any, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    done: list[str] = []
    monkeypatch.setattr("config.start.call_command", lambda name, **_: done.append(name))
    settings.MIGRATE, settings.REDIS_URL = False, "redis://127.0.0.1:1/0"
    prepare("migrate")
    prepare("web")
    prepare("worker")
    assert done == ["migrate", "collectstatic"]
    monkeypatch.setattr("config.start.missing_migrations", lambda: 1)
    check("migrate")
    with pytest.raises(NotReadyError, match=r"not up to date: run scripts/process\.sh migrate\.$"):
        check("web")


@pytest.mark.slow
def test_a_wrong_setting_is_one_line_for_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PORT", "many")
    assert "PORT is 'many'" in only_line(manage(tmp_path, "help"))
    study = subprocess.run(
        [sys.executable, "-m", "studies", "benchmark"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "PORT is 'many'" in only_line(study)


def test_a_damaged_database_is_one_line_and_a_traceback_for_those_who_ask(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
    capsys: pytest.CaptureFixture[str],
):
    (tmp_path / "damaged.sqlite3").write_bytes(b"this is no database" * 1000)
    monkeypatch.setattr("config.start.keep_what_is_loaded", lambda: None)
    with django_db_blocker.unblock(), monkeypatch.context() as patch:
        connection.close()
        patch.setitem(connection.settings_dict, "NAME", str(tmp_path / "damaged.sqlite3"))
        with pytest.raises(SystemExit, match="1"):
            run(["manage.py", "migrate"])
        with pytest.raises(DatabaseError, match="not a database"):
            run(["manage.py", "migrate", "--traceback"])
        connection.close()
    [line] = capsys.readouterr().err.splitlines()
    assert "damaged: put a backup in its place" in line


def test_an_empty_database_is_explained(tmp_path: Path):
    link = sqlite3.connect(tmp_path / "empty.sqlite3")
    with pytest.raises(sqlite3.OperationalError) as empty:
        link.execute("SELECT * FROM annotation_project")
    link.close()
    assert "run 'manage.py migrate'" in str(explain(OperationalError(str(empty.value))))


@pytest.mark.slow
def test_a_command_that_has_started_searches_for_garbage(migrated: Path):
    said = manage(migrated, "shell", "--no-imports", "-c", "import gc; print(gc.isenabled(), gc.get_freeze_count())")
    enabled, frozen = said.stdout.split()
    assert enabled == "True" and int(frozen) > 100_000, said.stderr


def test_a_full_disk_is_named(tmp_path: Path):
    link = sqlite3.connect(tmp_path / "small.sqlite3", isolation_level=None)
    link.execute("PRAGMA max_page_count = 2")
    link.execute("CREATE TABLE words (word TEXT)")
    with pytest.raises(sqlite3.OperationalError) as full:
        link.execute("INSERT INTO words VALUES (?)", ["x" * 100_000])
    link.close()
    assert "the disk is full: make room" in str(explain(OperationalError(str(full.value))))
    with pytest.raises(OSError) as no_space, open("/dev/full", "wb", buffering=0) as device:
        device.write(b"x")
    assert "the disk is full: make room" in str(explain(no_space.value))


def test_errors_of_the_program_keep_their_traceback():
    assert explain(ValueError("x")) is None
    assert explain(ProgrammingError("syntax error at or near SELEKT")) is None
    assert explain(KeyError("x")) is None


def test_redis_and_settings_are_explained():
    assert "Check REDIS_URL" in str(explain(RedisConnectionError("Error 111 connecting to 127.0.0.1:1.")))
    assert explain(ImproperlyConfigured("A is\nwrong.")) == "Wrong settings: A is wrong."


def workers_of(master: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def half_a_request(port: int) -> socket.socket:
    """Send headers and one byte of a body, as a client does whose network is gone."""
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    link.sendall(b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
    return link


def web_alone(folder: Path, port: int) -> tuple[list[str], dict[str, str]]:
    """Return how process.sh starts the web server, without what it does before: checks, migrations, static files."""
    for name, text in (
        ("scripts/process.sh", (ROOT / "scripts/process.sh").read_text()),
        ("bin/python", "#!/bin/sh\n"),
    ):
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    env = environment(folder)
    env |= {"PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:{env['PATH']}", "PYTHONPATH": str(ROOT)}
    env |= {"DATABASE_URL": f"sqlite:///{folder}/chainbox.sqlite3", "REDIS_URL": "redis://127.0.0.1:1/0"}
    env |= {"SECRET_KEY": SECRET, "HTTPS": "off", "BIND": f"127.0.0.1:{port}"}
    return [str(folder / "scripts/process.sh"), "web"], env


@pytest.mark.slow
@pytest.mark.parametrize("server", ["serve", "web"])
def test_a_supervisor_has_the_service_back_after_its_master_was_killed(server: str, migrated: Path):
    """Requests that hang in the orphaned workers do not keep the port: a new master would give it up in seconds."""
    with reserved_port() as port:
        command, env = [sys.executable, "manage.py", "serve", "--port", str(port)], environment(migrated)
        if server == "web":
            command, env = web_alone(migrated, port)
        where, log = f"http://127.0.0.1:{port}/healthz", migrated / "log"
        with child(command, log, env=env, cwd=str(ROOT), stop=signal.SIGINT) as first:
            assert wait_until(lambda: status(where) == 200), log.read_text()
            orphans = workers_of(first.pid)
            hanging = [half_a_request(port) for _ in range(3)]
            first.kill()
            first.wait()
        log = migrated / "log2"
        with child(command, log, env=env, cwd=str(ROOT), stop=signal.SIGINT) as again:
            assert wait_until(lambda: again.poll() is not None or bool(set(workers_of(again.pid)) - set(orphans)))
            assert again.poll() is None and wait_until(lambda: status(where) == 200), log.read_text()
            assert "IS TAKEN" not in log.read_text()
            assert orphans and wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans))
    for link in hanging:
        link.close()
