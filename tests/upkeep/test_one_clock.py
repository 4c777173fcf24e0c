"""One clock sends the jobs, whatever is killed: processes end with the one that started them, and clocks take turns."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.beat import LEASE_SECONDS, LOOK_SECONDS
from config.celery import app
from tests.support.services import redis, wait_until
from tests.upkeep.test_beat import ROOT, Noted

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
    assert wait_until(lambda: all(map(is_gone, started.values())), seconds=30)


def test_a_killed_clock_is_started_again_and_all_end_when_the_service_is_stopped(family: Family) -> None:
    started = dict(family.next() for _ in range(2))
    os.kill(started["clock"], signal.SIGKILL)
    name, pid = family.next()
    assert name == "clock" and pid != started["clock"]
    family.parent.terminate()
    assert family.parent.wait(30) == 0
    assert is_gone(pid) and is_gone(started["runner"])


@pytest.mark.services
def test_of_two_clocks_one_sends_and_the_other_takes_over(settings: Any, tmp_path: Path) -> None:
    with redis(tmp_path / "redis") as url:
        settings.REDIS_URL = url
        first, second = Noted(app), Noted(app)
        assert first.tick() == LOOK_SECONDS and len(first.sent) == len(app.conf.beat_schedule)
        assert second.tick() == LOOK_SECONDS < LEASE_SECONDS and second.sent == []
        first.close()
        second.tick()
        assert len(second.sent) == len(app.conf.beat_schedule)
        first.sent.clear()
        first.tick()
        assert first.sent == [], "the one that waits sends nothing, whatever is due"
    second.sent.clear()
    assert second.tick() == LOOK_SECONDS and second.sent == [], "without Redis nothing could be sent"
