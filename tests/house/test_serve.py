"""The serving process, its ticker, and the schedule of jobs, as a user starts them."""

import logging
import shutil
import signal
import socket
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config.celery import app
from config.serve import _start_ticking, listen, start_ticker
from tests.house.test_settings import shown
from tests.support.served import ROOT, environment, status
from tests.support.services import PATIENCE, child, wait_until


def test_every_job_of_the_clock_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled
    assert scheduled <= set(app.tasks)


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
            for page in ("readyz", "admin/login/", "static/admin/css/base.css"):
                assert status(address + page) == 200, page
            assert shown("s.ADDRESS", tmp_path) + "/" == address
    assert status(address + "healthz") == 0
    assert shown("s.ADDRESS", tmp_path) == "http://127.0.0.1:8000"
    assert [path.name for path in tmp_path.glob("served*")] == []
    said = log.read_text()
    assert said.count("user admin, password ") == 1
    assert "Traceback" not in said and "Error" not in said


def test_it_ticks_at_once_and_again() -> None:
    ticks = threading.Semaphore(0)
    stop = start_ticker(ticks.release, every=0.01)
    try:
        assert all(ticks.acquire(timeout=PATIENCE) for _ in range(3))
    finally:
        stop.set()


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


def test_it_stops_when_it_is_told() -> None:
    stop = start_ticker(lambda: None, every=0.01)
    stop.set()
    for thread in [one for one in threading.enumerate() if one.name == "ticker"]:
        thread.join(timeout=PATIENCE)
    assert "ticker" not in [thread.name for thread in threading.enumerate()]


def test_the_embedded_service_does_every_job_of_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: dict[str, float] = {}
    monkeypatch.setattr("config.serve.start_ticker", lambda job, every: begun.update({job.name: every}))
    _start_ticking(None)
    assert begun == {one["task"]: one["schedule"] for one in settings.CELERY_BEAT_SCHEDULE.values()}
    assert "config.prune" in begun
