"""Ticks on clocks that jump or disagree, and the one clock by which things are due."""

import glob
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
from unittest.mock import Mock

import pytest
import redis as redis_client
from celery.beat import ScheduleEntry
from django.db import IntegrityError, OperationalError, connection, transaction

from config import beat
from config.beat import LEASE, LEASE_TIME, LOOK_SECONDS, MonotonicScheduler
from config.celery import app
from pipeline.jobs import tick_job
from runtime import clock
from runtime.models import JobRun
from runtime.runs import MOMENT
from tests.conftest import worker_environment
from tests.runtime.test_redis_down import state_of
from tests.support.places import ROOT
from tests.support.rows import make_project
from tests.support.services import PATIENCE, child, redis, wait_until
from tests.support.table import case


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with redis(tmp_path / "redis") as url:
        yield url


def wrong_clock(file: Path) -> dict[str, str]:
    """Return the environment of a process whose wall clock is wrong by what the file says."""
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not library:
        pytest.skip("libfaketime is not installed: apt-get install libfaketime")
    faked = {"FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return {"LD_PRELOAD": library[0], **faked}


@pytest.mark.slow
@pytest.mark.services
def test_ticks_go_on_while_the_clock_of_beat_jumps_back_an_hour(
    real_services: None, transactional_db: None, broker: str, tmp_path: Path
) -> None:
    faked, log = tmp_path / "clock", tmp_path / "beat.log"
    faked.write_text("+0")
    queue = redis_client.Redis.from_url(broker)

    def sent(more: int) -> bool:
        begun = int(queue.llen("soon"))  # type: ignore[arg-type]  # the stubs cover the asynchronous client, too
        return wait_until(lambda: int(queue.llen("soon")) >= begun + more)  # type: ignore[arg-type]

    command = [sys.executable, "-m", "celery", "-A", "config", "beat", "--loglevel", "INFO"]
    env = worker_environment() | {"REDIS_URL": broker, "CHAINBOX_DATA": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "tests.runtime.beat_settings", **wrong_clock(faked)}
    with child([*command, "--pidfile", ""], log, env=env, cwd=str(ROOT)):
        assert wait_until(lambda: int(queue.llen("soon")) > 0), log.read_text()  # type: ignore[arg-type]
        assert sent(2), log.read_text()
        faked.write_text("-3600")
        assert sent(3), log.read_text()
    assert not (ROOT / "celerybeat-schedule").exists()


@pytest.mark.slow
@pytest.mark.services
def test_a_job_runner_that_is_45_seconds_ahead_runs_every_tick(
    real_services: None, transactional_db: None, broker: str, tmp_path: Path
) -> None:
    faked, log = tmp_path / "clock", tmp_path / "worker.log"
    faked.write_text("+45")
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--concurrency", "1", "--loglevel", "INFO"]
    ticking = [sys.executable, "-m", "celery", "-A", "config", "beat", "--pidfile", ""]
    env, before = worker_environment() | {"REDIS_URL": broker}, clock.now()
    with (
        child(ticking, tmp_path / "beat.log", env=env, cwd=str(ROOT)),
        child(command, log, env=env | wrong_clock(faked), cwd=str(ROOT)),
    ):
        assert wait_until(lambda: JobRun.objects.filter(key="pipeline.tick").exists()), log.read_text()
    finished = JobRun.objects.get(key="pipeline.tick").finished_at
    assert finished is not None and before < finished < clock.now(), "by the clock of the database"


class Noted(MonotonicScheduler):
    """Notes what it would send."""

    def setup_schedule(self) -> None:
        super().setup_schedule()
        self.sent: list[str | None] = []

    @property
    def producer(self) -> Any:
        return None

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        self.sent.append(entry.name)


def test_beat_sends_all_at_its_start_and_then_each_at_its_time(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""  # no other clock can run
    moment = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    scheduler = Noted(app)
    assert scheduler.tick() == 15 and set(scheduler.sent) == set(app.conf.beat_schedule)
    scheduler.sent.clear()
    assert scheduler.tick() == 15 and scheduler.sent == []
    moment += 15
    assert scheduler.tick() == 15 and scheduler.sent == ["hear platforms"]
    moment += 3000
    later = {"hear platforms", "sync platforms", "tick", "send waiting"}
    later |= {"send mail", "refresh figures", "tell alerts"}
    assert scheduler.tick() == 15 and set(scheduler.sent[1:]) == later


@pytest.mark.both_engines
@pytest.mark.django_db
class TestTwoClocks:
    @pytest.fixture
    def two(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Noted, Noted]:
        monkeypatch.setattr(redis_client.Redis, "ping", lambda self: True)
        settings.REDIS_URL = "redis://another.machine:6379/0"
        return Noted(app), Noted(app)

    def test_one_that_does_not_reach_redis_lets_the_other_send(
        self, two: tuple[Noted, Noted], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = two
        first.tick()
        first.sent.clear()
        with monkeypatch.context() as patch:
            patch.setattr(redis_client.Redis, "ping", Mock(side_effect=redis_client.ConnectionError("no route")))
            assert first.tick() == LOOK_SECONDS and first.sent == []
        second.tick()
        assert len(second.sent) == len(app.conf.beat_schedule)

    def test_one_sends_and_the_other_takes_over_at_once_when_it_is_stopped(self, two: tuple[Noted, Noted]) -> None:
        first, second = two
        assert first.tick() == LOOK_SECONDS and len(first.sent) == len(app.conf.beat_schedule)
        assert second.tick() == LOOK_SECONDS and second.sent == []
        first.close()
        second.tick()
        assert len(second.sent) == len(app.conf.beat_schedule)
        first.sent.clear()
        first.tick()
        assert first.sent == [], "the one that waits sends nothing, whatever is due"

    @pytest.mark.parametrize("since", [-LEASE_TIME, timedelta(hours=1)], ids=["died", "before a jump of the clock"])
    def test_the_lease_of_one_that_says_nothing_runs_out(self, two: tuple[Noted, Noted], since: timedelta) -> None:
        two[0].tick()
        JobRun.objects.filter(key=LEASE).update(held_until=clock.in_statement() + since)
        two[1].tick()
        assert len(two[1].sent) == len(app.conf.beat_schedule)
        assert LEASE_TIME + timedelta(seconds=2 * LOOK_SECONDS) < timedelta(seconds=30)

    def test_no_clock_of_a_machine_matters(self, two: tuple[Noted, Noted], monkeypatch: pytest.MonkeyPatch) -> None:
        two[0].tick()
        for wrong in (3600.0, -3600.0):
            with monkeypatch.context() as patch:
                now = time.time()
                patch.setattr(time, "time", lambda now=now, wrong=wrong: now + wrong)
                patch.setattr(clock, "now", lambda wrong=wrong: datetime.now(UTC) + timedelta(seconds=wrong))
                two[1].tick()
                two[0].tick()
        assert two[1].sent == [] and two[0].lease is not None and two[0].lease.hold()

    def test_without_the_database_a_clock_waits_and_goes_on_when_it_is_back(
        self, two: tuple[Noted, Noted], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        gone = Mock(side_effect=OperationalError("the server closed\nthe connection"))
        monkeypatch.setattr(connection, "close", lambda: None)  # the test's transaction stays
        with monkeypatch.context() as patch:
            patch.setattr(beat.ClockLease, "_take", gone)
            assert two[0].tick() == LOOK_SECONDS and two[0].sent == []
        assert "The clock waits: the database does not answer (the server closed the connection)" in caplog.text
        two[0].tick()
        assert two[0].sent


@pytest.mark.django_db
class TestPile:
    @pytest.fixture
    def done(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        done: list[int] = []
        monkeypatch.setattr("pipeline.jobs.ticking.tick", lambda **_: done.append(1))
        return done

    def test_of_ticks_that_piled_up_one_does_the_work_and_the_others_say_so(
        self, done: list[int], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO")
        for _ in range(120):
            tick_job.delay()
        assert len(done) == 1
        assert "pipeline.tick: left out, because another one finished 0." in caplog.text
        assert "pipeline.tick: done in" in caplog.text

    @case("a tick after a moment does its work", -MOMENT, 0)
    @case("a tick of before a jump back of the clock does not stop the next one", timedelta(hours=1), 0)
    @case("ticks that stayed away are in the log", -timedelta(hours=1), 1)
    def test_a_later_tick(self, since: timedelta, told: int, done: list[int], caplog: pytest.LogCaptureFixture) -> None:
        tick_job.delay()
        JobRun.objects.update(finished_at=clock.now() + since)
        tick_job.delay()
        assert len(done) == 2
        assert len(re.findall(r"pipeline.tick: the last one finished 36\d\d seconds ago", caplog.text)) == told

    def test_a_tick_that_failed_does_not_count_as_done(self, done: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("pipeline.jobs.ticking.tick", Mock(side_effect=ValueError("broken on purpose")))
            with pytest.raises(ValueError, match="on purpose"):
                tick_job.delay()
        tick_job.delay()
        assert len(done) == 1


OURS = ("annotation", "backoffice", "config", "projects", "exchange", "labelling", "pipeline", "platforms")
OTHER_CLOCKS = re.compile(
    r"timezone\.now\b|timezone import .*\bnow\b|datetime\.(?:now|utcnow|today)\(|date\.today\(|\btime\.time\b"
    r"|from time import .*\btime\b|auto_now|functions import .*\bNow\b|localtime\("
)


COMPARING_CLOCKS = {"runtime/clock.py", "config/doctor.py"}
"""The database's clock itself, and the comparison of a machine's clock with that."""


def test_nothing_asks_another_clock_and_no_job_of_the_schedule_ends_by_one() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for app in (*OURS, "simulation", "workers", "runtime")
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts and path.relative_to(ROOT).as_posix() not in COMPARING_CLOCKS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OTHER_CLOCKS.search(line)
    ]
    assert not found
    assert not [name for name, entry in app.conf.beat_schedule.items() if "expires" in entry.get("options", {})]


@pytest.mark.django_db
def test_a_web_process_whose_clock_is_an_hour_wrong_still_uses_the_right_time(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    right = clock.now()
    monkeypatch.setattr("time.time", lambda: 3600.0)
    assert timedelta() <= clock.now() - right < timedelta(minutes=1)
    assert timedelta() <= make_project().created_at - right < timedelta(minutes=1)


@pytest.mark.django_db
def test_the_databases_time_costs_no_statement(django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        (found,) = cursor.fetchone()
    of_database = datetime.fromisoformat(found).replace(tzinfo=UTC) if isinstance(found, str) else found
    assert abs(clock.now() - of_database) < timedelta(minutes=1)
    monkeypatch.setattr(clock, "_measured_at", -1e9)
    with django_assert_num_queries(0):
        clock.now()


@pytest.mark.django_db
def test_a_transaction_that_failed_still_knows_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before, project = clock.now(), make_project()
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
def test_a_clock_that_jumps_is_remeasured(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    clock.now()
    assert clock._last is not None
    monkeypatch.setattr(clock, "_last", clock._Measurement(clock._last.database + 3600, clock._last.monotonic))
    assert clock.now().timestamp() > time.time() + 3000
    monkeypatch.setattr(clock, "_measured_at", -1e9)
    assert abs(clock.now().timestamp() - time.time()) < PATIENCE
    assert "clock moved by -3600 seconds" in caplog.text


@pytest.mark.django_db
def test_a_test_may_move_the_clock_of_every_process_of_a_service_that_allows_it(settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    before = clock.now()
    (tmp_path / clock.OFFSET_FILE).write_text("90000")
    assert timedelta(hours=25) <= clock.now() - before < timedelta(hours=26)
    settings.CLOCK_MAY_MOVE = False
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
    return state_of(pid) in ("Z", "")


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
