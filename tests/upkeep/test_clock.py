"""The time by which things are due: one function, the database's clock."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from tests.support.rows import make_project
from tests.support.services import PATIENCE, wait_until
from tests.upkeep.test_beat import ROOT
from upkeep import clock

OURS = ("annotation", "backoffice", "config", "exchange", "gallery", "labelling", "pipeline", "platforms", "reports")
OTHER_CLOCKS = re.compile(
    r"timezone\.now\b|timezone import .*\bnow\b|datetime\.(?:now|utcnow|today)\(|date\.today\(|\btime\.time\b"
    r"|from time import .*\btime\b|auto_now|functions import .*\bNow\b|localtime\("
)


def test_nothing_asks_another_clock() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for app in (*OURS, "simulation", "workers", "upkeep")
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts and path != ROOT / "upkeep/clock.py"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OTHER_CLOCKS.search(line)
    ]
    assert not found


@pytest.mark.django_db
def test_the_time_is_that_of_the_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        (found,) = cursor.fetchone()
    of_database = datetime.fromisoformat(found).replace(tzinfo=UTC) if isinstance(found, str) else found
    assert abs(clock.now() - of_database) < timedelta(minutes=1)


@pytest.mark.django_db
def test_a_web_process_whose_clock_is_an_hour_wrong_still_uses_the_right_time(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    right = clock.now()
    monkeypatch.setattr("time.time", lambda: 3600.0)
    assert timedelta() <= clock.now() - right < timedelta(minutes=1)
    assert timedelta() <= make_project().created_at - right < timedelta(minutes=1)


@pytest.mark.django_db
def test_the_time_costs_a_request_no_statement(django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_measured_at", -1e9)
    with django_assert_num_queries(0):
        clock.now()


@pytest.mark.django_db
def test_a_transaction_that_failed_still_knows_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = clock.now()
    project = make_project()
    with transaction.atomic():
        try:
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO annotation_project (id) VALUES (%s)", [project.pk])
        except IntegrityError:
            pass
        monkeypatch.setattr(clock, "_measured_at", -1e9)
        assert clock.now() > before - timedelta(minutes=1)  # a measurement is off by half its round trip
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_the_clock_of_a_database_that_jumps_is_measured_again_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    clock.now()
    assert clock._last is not None
    ahead = clock._Measurement(clock._last.database + 3600, clock._last.monotonic)
    monkeypatch.setattr(clock, "_last", ahead)
    assert clock.now().timestamp() > time.time() + 3000
    monkeypatch.setattr(clock, "_measured_at", -1e9)
    assert abs(clock.now().timestamp() - time.time()) < PATIENCE
    assert "clock moved by -3600 seconds" in caplog.text


class TestOffset:
    @pytest.mark.django_db
    def test_a_test_may_move_the_clock_of_every_process(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA = tmp_path
        before = clock.now()
        (tmp_path / clock.OFFSET_FILE).write_text("90000")
        assert timedelta(hours=25) <= clock.now() - before < timedelta(hours=26)

    @pytest.mark.django_db
    def test_a_service_whose_clock_may_not_move_ignores_the_file(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA = tmp_path
        settings.CLOCK_MAY_MOVE = False
        (tmp_path / clock.OFFSET_FILE).write_text("90000")
        assert abs(clock.now().timestamp() - time.time()) < PATIENCE


RUNNERS = """
import os, time
from config.runners import Runners

def sleep(command):
    os.write(1, f"{command[0]} {os.getpid()}\\n".encode())  # at once: two processes write
    time.sleep(600)

Runners([["clock"], ["runner"]], sleep).serve()
"""


class Family:
    """The process that starts the others, which only sleep."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", RUNNERS]
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.support.settings"}
        self.parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env)

    def next(self) -> tuple[str, int]:
        """Return the name and process id of the next one that started."""
        assert self.parent.stdout
        name, pid = self.parent.stdout.readline().split()
        return name, int(pid)


@pytest.fixture
def family() -> Iterator[Family]:
    made = Family()
    yield made
    made.parent.kill()
    made.parent.wait()
    assert made.parent.stdout
    made.parent.stdout.close()


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_a_killed_master_leaves_no_clock_and_no_runner(family: Family) -> None:
    started = dict(family.next() for _ in range(2))
    assert set(started) == {"clock", "runner"}
    family.parent.kill()
    assert wait_until(lambda: all(map(is_gone, started.values())))


def test_a_killed_clock_is_started_again_and_all_end_when_the_service_is_stopped(family: Family) -> None:
    started = dict(family.next() for _ in range(2))
    os.kill(started["clock"], signal.SIGKILL)
    name, pid = family.next()
    assert name == "clock" and pid != started["clock"]
    family.parent.terminate()
    assert family.parent.wait(PATIENCE) == 0
    assert is_gone(pid) and is_gone(started["runner"])
