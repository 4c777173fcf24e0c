"""The start, the work and the end of the serving process, and clients that send slowly or break off."""

import http.client
import logging
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from pytest_django.plugin import DjangoDbBlocker
from redis.exceptions import ConnectionError as RedisConnectionError
from waitress import create_server, wasyncore

from config import web_worker
from config.celery import app
from config.serve import _start_ticking, listen, start_ticker
from config.start import NO_BROKER, PREPARING, ServiceNotReadyError, check, explain, prepare, run
from config.web_worker import Channel, Dispatcher, WebWorker, use_channels
from studies.http_load.running_service import running
from tests.house.test_settings import shown
from tests.support.places import ROOT
from tests.support.served import environment, is_healthy, manage, served, status
from tests.support.services import PATIENCE, child, reserved_port, wait_until
from tests.support.table import case, row

DEAD = "postgres://user:hidden@127.0.0.1:1/chainbox"  # pragma: allowlist secret
SECRET = "x" * 40
Captured = pytest.CaptureFixture[str]


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
        with pytest.raises(ServiceNotReadyError, match=r"not up to date: start web.*'manage\.py migrate'") as it:
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
    with pytest.raises(ServiceNotReadyError, match=r"not up to date: run scripts/process\.sh migrate\.$"):
        check("web")


@pytest.mark.slow
def test_a_wrong_setting_is_one_line_for_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PORT", "many")
    assert "PORT is 'many'" in only_line(manage(tmp_path, "help"))
    command, env = [sys.executable, "-m", "studies", "benchmark"], environment(tmp_path)
    study = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert "PORT is 'many'" in only_line(study)


def test_a_damaged_database_is_one_line_and_a_traceback_for_those_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker, capsys: Captured
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


def test_an_empty_database_is_explained_and_a_full_disk_is_named(tmp_path: Path):
    link = sqlite3.connect(tmp_path / "small.sqlite3", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError) as empty:
        link.execute("SELECT * FROM annotation_project")
    assert "run 'manage.py migrate'" in str(explain(OperationalError(str(empty.value))))
    link.execute("PRAGMA max_page_count = 2")
    link.execute("CREATE TABLE words (word TEXT)")
    with pytest.raises(sqlite3.OperationalError) as full:
        link.execute("INSERT INTO words VALUES (?)", ["x" * 100_000])
    link.close()
    assert "the disk is full: make room" in str(explain(OperationalError(str(full.value))))
    with pytest.raises(OSError) as no_space, open("/dev/full", "wb", buffering=0) as device:
        device.write(b"x")
    assert "the disk is full: make room" in str(explain(no_space.value))


@pytest.mark.slow
def test_a_command_that_has_started_searches_for_garbage(migrated: Path):
    said = manage(migrated, "shell", "--no-imports", "-c", "import gc; print(gc.isenabled(), gc.get_freeze_count())")
    enabled, frozen = said.stdout.split()
    assert enabled == "True" and int(frozen) > 100_000, said.stderr


def test_redis_and_settings_are_explained_and_errors_of_the_program_keep_their_traceback():
    assert "Check REDIS_URL" in str(explain(RedisConnectionError("Error 111 connecting to 127.0.0.1:1.")))
    assert explain(ImproperlyConfigured("A is\nwrong.")) == "Wrong settings: A is wrong."
    for error in (ValueError("x"), ProgrammingError("syntax error at or near SELEKT"), KeyError("x")):
        assert explain(error) is None


def workers_of(master: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def half_a_request(port: int) -> socket.socket:
    """Send headers and one byte of a body, as a client does whose network is gone."""
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    link.sendall(b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
    return link


def web_alone(folder: Path, port: int) -> tuple[list[str], dict[str, str]]:
    """Return how process.sh starts the web server, without what it does before: checks, migrations, static files."""
    own = (ROOT / "scripts/process.sh").read_text()
    for name, text in (("scripts/process.sh", own), ("bin/python", "#!/bin/sh\n")):
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


def test_every_job_of_the_clock_exists_and_the_embedded_service_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
    begun: dict[str, float] = {}
    monkeypatch.setattr("config.serve.start_ticker", lambda job, every: begun.update({job.name: every}))
    _start_ticking(None)
    assert begun == {one["task"]: one["schedule"] for one in settings.CELERY_BEAT_SCHEDULE.values()}
    assert "config.prune" in begun


def test_it_refuses_to_serve_a_database_that_is_not_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.management.commands.serve.missing_migrations", lambda: 1)
    with pytest.raises(CommandError, match=r"run 'manage\.py migrate' first"):
        call_command("serve")


def test_it_takes_the_next_port_when_one_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        first = taken.getsockname()[1]
        with listen("127.0.0.1", first) as one, listen("127.0.0.1", first) as other:
            assert first < one.getsockname()[1] < other.getsockname()[1] < first + 100
        with pytest.raises(OSError, match="--port"):
            listen("127.0.0.1", first, tries=1)


@pytest.mark.slow
def test_it_serves_pages_on_a_free_port_and_links_lead_there_until_it_is_stopped(
    empty_service: Path, tmp_path: Path
) -> None:
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "log"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        first = taken.getsockname()[1]
        env = {**environment(tmp_path), "PORT": str(first)}
        command = [sys.executable, "manage.py", "serve"]
        with child(command, log, env=env, cwd=str(ROOT), stop=signal.SIGINT) as process:
            assert wait_until(lambda: "http://" in log.read_text() or process.poll() is not None), log.read_text()
            said = log.read_text()
            address = next(word for word in said.split() if word.startswith("http://"))
            assert f"PORT {first} IS TAKEN" in said and f":{first}/" not in said
            assert wait_until(lambda: status(address + "healthz") == 200), log.read_text()
            for page in ("readyz", "account/login/", "static/admin/css/base.css"):
                assert status(address + page) == 200, page
            assert shown("s.ADDRESS", tmp_path) + "/" == address
    assert status(address + "healthz") == 0
    assert shown("s.ADDRESS", tmp_path) == "http://127.0.0.1:8000"
    assert [path.name for path in tmp_path.glob("served*")] == []
    said = log.read_text()
    assert said.count("user admin, password ") == 1
    assert "Traceback" not in said and "Error" not in said


def test_it_ticks_at_once_and_again_until_it_is_told_to_stop() -> None:
    ticks = threading.Semaphore(0)
    stop = start_ticker(ticks.release, every=0.01)
    try:
        assert all(ticks.acquire(timeout=PATIENCE) for _ in range(3))
    finally:
        stop.set()
    for thread in [one for one in threading.enumerate() if one.name == "ticker"]:
        thread.join(timeout=PATIENCE)
    assert "ticker" not in [thread.name for thread in threading.enumerate()]


def test_a_tick_that_fails_is_logged_and_does_not_end_the_ticking(caplog: pytest.LogCaptureFixture) -> None:
    ticks = threading.Semaphore(0)

    def fail() -> None:
        ticks.release()
        raise ValueError("broken on purpose")

    with caplog.at_level(logging.ERROR, logger="config.serve"):
        stop = start_ticker(fail, every=0.01)
        try:
            assert all(ticks.acquire(timeout=PATIENCE) for _ in range(2))
        finally:
            stop.set()
    assert "broken on purpose" in caplog.text


SLOW = 50
"""Connections of the attack."""
SENT = int(web_worker.LEAST_RATE * (120 - web_worker.PATIENCE))
"""Bytes of a body after which its rest is waited for until two minutes are over."""
ANY = b"GET /any HTTP/1.1\r\nHost: x\r\n\r\n"
SIGN_IN, API = "/account/login/", "/api/v1/projects/parks/assignments/"


class Service(NamedTuple):
    """A service, and what is received on a connection whose request stays incomplete, after so many seconds."""

    port: int
    incomplete: Future[tuple[bytes, float]]


@pytest.fixture(scope="module")
def service(empty_service: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("slow")
    with served(empty_service, folder, folder / "log") as port, ThreadPoolExecutor(1) as pool:
        yield Service(port, pool.submit(stay_incomplete, port))


def stay_incomplete(port: int) -> tuple[bytes, float]:
    begun = time.monotonic()
    with connect(port, head(SIGN_IN, 1000) + b"{") as link:
        link.settimeout(PATIENCE)
        return link.recv(1000), time.monotonic() - begun


@pytest.fixture
def port(service: Service) -> int:
    return service.port


def connect(port: int, sent: bytes = b"") -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    link.sendall(sent)
    return link


def head(path: str, length: int, more: str = "") -> bytes:
    text = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    text += f"Cookie: csrftoken={'a' * 32}\r\n"  # with a cookie, the form's own token is looked for in the body
    return f"{text}Content-Length: {length}\r\n{more}\r\n".encode()


def is_open(link: socket.socket) -> bool:
    """Tell whether the service has neither responded on this connection nor closed it."""
    return not select.select([link], [], [], 0)[0]


def attack(port: int) -> None:
    """Hold SLOW connections open that have sent headers and not all of a body; the service must not feel it.

    With so much of it the service waits for the rest for two minutes, in which it can answer on any machine.
    """
    with ExitStack() as stack:
        sent = [head((SIGN_IN, API)[number % 2], SENT + 1) + b"{" * SENT for number in range(SLOW)]
        links = [stack.enter_context(connect(port, one)) for one in sent]
        assert is_healthy(port) and status(f"http://127.0.0.1:{port}/account/login/") == 200
        # Otherwise the others were served only after these had been given up.
        assert all(map(is_open, links))


@pytest.mark.slow
def test_fifty_visitors_who_do_not_send_all_of_a_form_do_not_stop_the_service(port: int) -> None:
    attack(port)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.services
def test_fifty_slow_visitors_do_not_stop_the_server_processes(real_services: None, tmp_path: Path) -> None:
    with running(tmp_path, web_processes=2, job_runner=False) as stack:
        attack(stack.ports[0])


@contextmanager
def slow_app(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Run an application of slow responses on two threads; yields the port and the process."""
    log, arrived = folder / "log", folder / "arrived"
    arrived.mkdir()
    command = [sys.executable, "-m", "gunicorn", "tests.support.slow_app", "--no-control-socket"]
    command += ["--worker-class", "config.web_worker.WebWorker", "--threads", "2", "--bind"]
    env = {**environment(folder), "ARRIVED": str(arrived)}
    with reserved_port() as port, child([*command, f"127.0.0.1:{port}"], log, env=env, cwd=str(ROOT)) as process:
        assert wait_until(lambda: is_healthy(port)), log.read_text()
        yield port, process
        (arrived / "go").touch()
    assert "Traceback" not in log.read_text(), log.read_text()


@pytest.mark.slow
def test_health_is_answered_while_every_thread_is_busy(tmp_path: Path) -> None:
    with slow_app(tmp_path) as (port, _), ExitStack() as stack:
        links = [stack.enter_context(connect(port, ANY)) for _ in range(6)]
        assert wait_until(lambda: len(list((tmp_path / "arrived").iterdir())) == 2)
        assert is_healthy(port)
        assert all(map(is_open, links))


HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: any.name\r\n"


@contextmanager
def in_this_thread() -> Iterator[tuple[Any, int]]:
    """Yield a server whose loop runs in the test, whose pool has no thread, and whose application is never called."""
    channels: dict[int, Any] = {}
    dispatcher = Dispatcher(0)
    asked = Mock(side_effect=AssertionError("the application was called"))
    server = create_server(asked, map=channels, _dispatcher=dispatcher, host="127.0.0.1", port=0)
    use_channels(server)
    yield server, server.socket.getsockname()[1]
    wasyncore.close_all(channels, ignore_all=True)
    dispatcher.own.shutdown()
    assert not dispatcher.queue and not dispatcher.own.queue and not asked.called


def received(server: Any, link: socket.socket, ends: bytes) -> bytes:
    """Turn the loop until what it answers ends so."""
    link.settimeout(PATIENCE)
    answer = b""
    while not answer.endswith(ends):
        wasyncore.poll2(PATIENCE, server._map)
        if select.select([link], [], [], 0)[0]:
            part = link.recv(10_000)
            assert part, answer
            answer += part
    return answer


@row(HEALTHZ + b"\r\n", b"ok\n", 1)
@row(HEALTHZ + b"Connection: close\r\n\r\n", b"ok\n", 1)
@row(b"HEAD" + HEALTHZ[3:] + b"\r\n", b"\r\n\r\n", 1)
@row((HEALTHZ + b"\r\n") * 3, b"ok\n", 3)
def test_the_loop_tells_by_itself_that_the_process_runs_without_the_database_or_a_thread_of_the_pool(
    sent: bytes, ends: bytes, answers: int
) -> None:
    with in_this_thread() as (server, port), connect(port, sent) as link:
        answer = received(server, link, ends)
        while answer.count(b"HTTP/1.1 200 OK\r\n") < answers:
            answer += received(server, link, ends)
        assert answer.count(b"Content-Length: 3\r\n") == answer.count(b"X-Content-Type-Options: nosniff") == answers


def test_visitors_who_come_together_are_let_in_together() -> None:
    with in_this_thread() as (server, port), ExitStack() as stack:
        for _ in range(web_worker.ACCEPTED_AT_ONCE + 1):
            stack.enter_context(connect(port))
        wasyncore.poll2(PATIENCE, server._map)
        assert len(server.active_channels) == web_worker.ACCEPTED_AT_ONCE


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_response_on_its_way_is_finished_when_the_service_is_stopped(tmp_path: Path, by: signal.Signals) -> None:
    with slow_app(tmp_path) as (port, process), connect(port, ANY) as link:
        link.settimeout(PATIENCE)
        assert wait_until(lambda: bool(list((tmp_path / "arrived").iterdir())))
        process.send_signal(by)
        assert wait_until(lambda: "Handling signal" in (tmp_path / "log").read_text())
        (tmp_path / "arrived" / "go").touch()
        assert link.makefile("rb").read().endswith(b"ok\n")
        assert process.wait(PATIENCE) == 0
        assert status(f"http://127.0.0.1:{port}/healthz") == 0


def test_a_request_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    request = web_worker.Request(None)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0 + web_worker.PATIENCE + 60)
    assert request.is_late(web_worker.PATIENCE)
    request.body_bytes_received = 60 * web_worker.LEAST_RATE  # steady: it has kept to the least rate
    assert not request.is_late(web_worker.PATIENCE)


def test_a_large_body_that_comes_slowly_but_steadily_is_read(port: int) -> None:
    body = b'{"task": "' + b"x" * 200_000 + b'"}'
    with connect(port, head(API, len(body))) as link:
        for start in range(0, len(body), 50_000):
            link.sendall(body[start : start + 50_000])
            time.sleep(0.2)
        assert link.recv(1000).startswith(b"HTTP/1.1 401 ")


CHUNKED = f"POST {API} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
CHUNKED += "Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n"


@case("a body beyond the limit is refused before it is read", head(API, 10**9), 413)
@case("a body in chunks is read", CHUNKED.encode(), 401)
def test_a_body(sent: bytes, expected: int, port: int) -> None:
    with connect(port, sent) as link:
        assert link.recv(1000).startswith(b"HTTP/1.1 %d " % expected)


def test_a_client_that_waits_for_permission_to_send_gets_it(port: int) -> None:
    with connect(port, head(API, 2, "Expect: 100-continue\r\n")) as link:
        assert link.recv(1000).startswith(b"HTTP/1.1 100 ")
        link.sendall(b"{}")
        assert link.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_connection_stays_open_for_the_next_request_and_head_has_no_body(port: int) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    link.request("HEAD", SIGN_IN)
    first = link.getresponse()
    assert first.status == 200 and first.read() == b"" and not first.will_close
    link.request("GET", SIGN_IN)
    assert b"<form" in link.getresponse().read()
    link.close()


def test_a_client_that_leaves_in_the_middle_harms_nobody(port: int) -> None:
    for sent in (
        b"",
        b"GET /account/lo",
        head(SIGN_IN, 100) + b"abc",
        b"GET /account/login/ HTTP/1.1\r\nHost: x\r\n\r\n",
    ):
        connect(port, sent).close()
    assert is_healthy(port)


@pytest.mark.slow
def test_the_header_of_the_proxy_says_that_the_visitor_came_over_https(empty_service: Path, tmp_path: Path) -> None:
    with served(empty_service, tmp_path, tmp_path / "log", HTTPS="on") as port:
        for scheme, expected in (("https", 200), ("http", 301)):
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            link.request("GET", SIGN_IN, headers={"X-Forwarded-Proto": scheme})
            assert link.getresponse().status == expected
            link.close()


def stopping() -> Any:
    """A worker of the web server whose loop has ended."""
    worker: Any = WebWorker.__new__(WebWorker)
    worker.map, worker.alive, worker.booted = {}, True, True
    worker.cfg, worker.notify = SimpleNamespace(graceful_timeout=1), lambda: None
    worker.servers = [create_server(lambda environ, start: [], map=worker.map, host="127.0.0.1", port=0)]
    worker.servers[0].channel_class = Channel
    return worker


def test_a_second_signal_while_the_process_ends_leaves_no_traceback() -> None:
    worker = stopping()
    worker._finish()
    worker.handle_exit(signal.SIGTERM, None)
    worker.servers[0].pull_trigger()  # as a thread does that has just finished a request
    assert not worker.alive
    worker.servers[0].trigger.close()


@pytest.mark.slow
def test_a_connection_is_closed_when_its_request_stays_incomplete(service: Service) -> None:
    """The last test, since it has waited during the others."""
    received, seconds = service.incomplete.result()
    assert received == b"" and seconds > web_worker.PATIENCE - 1
