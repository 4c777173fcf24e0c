"""The service as it runs on a server: web processes and a job runner, started by its own scripts for one block."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from celery import Celery
from django.conf import settings
from django.db import connection

from studies.servers import Server, answers
from tests.support.services import reserved_port

ROLES = ("web", "jobs")
"""Database roles, one for each part of the service, so that PostgreSQL counts their statements separately."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The processes of a running service."""

    ports: tuple[int, ...]
    """Of each web host."""
    web: tuple[int, ...]
    """Process id of the root process of each web host."""
    jobs: int | None
    """Process id of the job runner's root process, or None without a job runner."""


@contextmanager
def running(
    folder: Path, *, web_processes: int, web_hosts: int = 1, number: int = 0, job_runner: bool = True
) -> Iterator[Stack]:
    """Run the service on the database of this process's connection. Logs go into the folder.

    `web_hosts`: web servers, each with a folder of its own (`data_folders`). `number` is added to the number of the
    Redis database; stacks that run at the same time need different ones. Without a `job_runner` answers are stored but
    not acted on. Raises ServerError if a process does not start.
    """
    _make_roles()
    server, _, first = os.environ["REDIS_URL"].rpartition("/")
    redis = f"{server}/{int(first) + number}"
    with ExitStack() as stack:
        webs: list[Server] = []
        ports: list[int] = []
        for data in data_folders(folder, web_hosts):
            port = stack.enter_context(reserved_port())
            own = {"BIND": f"127.0.0.1:{port}", "WEB_PROCESSES": str(web_processes), "CHAINBOX_DATA": str(data)}
            webs.append(_server("web", folder, redis, own, "web", partial(answers, port)))
            ports.append(port)
        jobs = _server("worker", folder, redis, {"WORKER_PROCESSES": "1"}, "jobs", lambda: _ready(redis))
        servers = [*webs, jobs] if job_runner else webs
        for one in servers:
            stack.callback(one.stop)
            one.start()
        for one in servers:
            one.wait_ready()
        yield Stack(tuple(ports), tuple(one.pid for one in webs), jobs.pid if job_runner else None)


def data_folders(folder: Path, web_hosts: int) -> list[Path]:
    """Return the data folder of each web host; the job runner has the first one, too."""
    return [folder / ("data" if number == 0 else f"data{number}") for number in range(web_hosts)]


def _server(kind: str, folder: Path, redis: str, own: dict[str, str], role: str, ready: Callable[[], bool]) -> Server:
    more = {
        "DATABASE_URL": _url(role),
        "REDIS_URL": redis,
        "ALLOWED_HOSTS": "127.0.0.1",
        "CHAINBOX_DATA": str(folder / "data"),
        # The same key as in this process, so that bearer tokens made here are valid there.
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    script = str(Path(settings.BASE_DIR) / "scripts" / "process.sh")
    return Server(kind, ["sh", script, kind], folder / f"{kind}.log", ready, env={**os.environ, **more, **own})


def _ready(redis: str) -> bool:
    with Celery(broker=redis, set_as_current=False) as runner:
        return bool(runner.control.ping(timeout=0.5))


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
