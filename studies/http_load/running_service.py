"""The service as it runs on a server: web processes and a job runner, started by its own scripts for one block."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from celery import Celery
from django.conf import settings
from django.db import connection

from config.serve import free_port

READY_SECONDS = 60.0
ROLES = ("web", "jobs")
"""Database roles, one for each part of the service, so that PostgreSQL counts their statements separately."""


class StackError(Exception):
    """A process did not start. The message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The processes of a running service."""

    port: int
    web: int
    """Process id of the web server's root process."""
    jobs: int | None
    """Process id of the job runner's root process, or None without a job runner."""


@contextmanager
def running(
    folder: Path, *, web_processes: int, number: int = 0, job_runner: bool = True, clock: bool = False
) -> Iterator[Stack]:
    """Run the service on the database of this process's connection. Logs go into the folder.

    `number` is added to the number of the Redis database; stacks that run at the same time need different ones. Without
    a `job_runner` answers are stored but not acted on. With a `clock` the job runner also runs the clock. Raises
    StackError if a process does not start.
    """
    _make_roles()
    port = free_port("127.0.0.1", 20_000 + os.getpid() % 12_000)
    with ExitStack() as stack:
        server, _, first = os.environ["REDIS_URL"].rpartition("/")
        redis = {"REDIS_URL": f"{server}/{int(first) + number}"}
        own = {"BIND": f"127.0.0.1:{port}", "WEB_PROCESSES": str(web_processes), **redis}
        web = stack.enter_context(_process("web", folder, own))
        jobs = stack.enter_context(_job_runner(folder, redis, clock)) if job_runner else None
        _wait(lambda: _answers(port), web, folder / "web.log")
        yield Stack(port, web.pid, jobs.pid if jobs else None)


@contextmanager
def _job_runner(folder: Path, redis: dict[str, str], clock: bool) -> Iterator["subprocess.Popen[bytes]"]:
    kind, own = ("jobs", {"WORKER_PROCESSES": "2"}) if clock else ("worker", {"WORKER_PROCESSES": "1"})
    with _process(kind, folder, {**own, **redis}, role="jobs") as jobs:
        with Celery(broker=redis["REDIS_URL"], set_as_current=False) as runner:
            _wait(lambda: bool(runner.control.ping(timeout=0.5)), jobs, folder / f"{kind}.log")
        yield jobs


@contextmanager
def _process(kind: str, folder: Path, extra: dict[str, str], role: str = "web") -> Iterator["subprocess.Popen[bytes]"]:
    script = Path(settings.BASE_DIR) / "scripts" / "process.sh"
    more = {
        "DATABASE_URL": _url(role),
        "ALLOWED_HOSTS": "127.0.0.1",
        "CHAINBOX_DATA": str(folder / "data"),
        # The same key as in this process, so that bearer tokens made here are valid there.
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    with (folder / f"{kind}.log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", str(script), kind],
            env={**os.environ, **more, **extra},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _url(role: str) -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    place = f"{role}@{parts.hostname}:{parts.port}"
    return urlunsplit((parts.scheme, place, f"/{connection.settings_dict['NAME']}", "", ""))


def _make_roles() -> None:
    with connection.cursor() as cursor:
        for role in ROLES:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if cursor.fetchone() is None:
                cursor.execute(f"CREATE ROLE {role} SUPERUSER LOGIN")
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _wait(condition: Callable[[], bool], process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            raise StackError(
                f"A process did not start. The end of {log.name}:\n{log.read_text(errors='replace')[-2000:]}"
            )
        time.sleep(0.1)
