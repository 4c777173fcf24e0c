"""The processes around a whole set: PostgreSQL that writes durably, Redis, job runners and their clock; or none."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg2  # type: ignore[import-untyped]

from config.orphans import die_with
from studies.servers import Server, supervised
from studies.whole_set.meter import JOBS_ROLE
from tests.support.services import DURABLE, make_cluster, postgres_program, redis, reserved_port

ROOT = Path(__file__).resolve().parents[2]
TICK_SECONDS = 30
"""As on a server by default."""


@contextmanager
def environment(folder: Path, *, embedded: bool) -> Iterator[dict[str, str]]:
    """Run the service in the folder until the block ends; yields the variables of a process that is part of it.

    What the folder holds of an earlier run goes on. Raises ServerError or ServiceError if a server does not start.
    """
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    env |= {"CHAINBOX_DATA": str(folder / "data"), "HTTPS": "off", "DJANGO_SETTINGS_MODULE": "studies.settings"}
    if embedded:
        yield env
        return
    env |= {"SECRET_KEY": "only-for-a-service-that-measures-itself", "ALLOWED_HOSTS": "127.0.0.1"}
    redis_folder = folder / "redis"
    with suppress(FileNotFoundError):
        (redis_folder / "log").unlink()
        redis_folder.rmdir()
    with reserved_port() as port:
        database, url = _database(folder, port)
        database.start()
        with supervised([database]), redis(redis_folder) as redis_url:
            database.wait_ready()
            env |= {"DATABASE_URL": url.format(user="postgres"), "REDIS_URL": redis_url}
            subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=env, check=True)
            _prepare(env["DATABASE_URL"])
            own = {
                "DATABASE_URL": url.format(user=JOBS_ROLE),
                "WORKER_PROCESSES": "2",
                "TICK_SECONDS": str(TICK_SECONDS),
            }
            script = ["sh", str(ROOT / "scripts" / "process.sh"), "jobs"]
            jobs = Server("jobs", script, folder / "jobs.log", lambda: True, env=env | own)
            jobs.start()
            with supervised([jobs]):
                yield env


def _database(folder: Path, port: int) -> tuple[Server, str]:
    """Return a PostgreSQL on the data of the folder, made if there is none, and its URL without the user."""
    place = folder / "postgres"
    for one in (folder, folder.parent):
        with suppress(PermissionError):
            one.chmod(one.stat().st_mode | 0o011)  # the postgres user must pass through
    user = "postgres" if os.getuid() == 0 else None
    if not (place / "data" / "PG_VERSION").exists():
        make_cluster(place)
    values = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={place}", *DURABLE]
    values += ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=20000", "max_connections=50"]
    values += ["pg_stat_statements.track_utility=off"]  # BEGIN and the like are no statements of ours
    command = [postgres_program("postgres"), "-D", str(place / "data")]
    command += [part for value in values for part in ("-c", value)]
    url = f"postgres://{{user}}@127.0.0.1:{port}/postgres"
    ready = lambda: _answers(url.format(user="postgres"))  # noqa: E731
    server = Server("PostgreSQL", command, folder / "postgres.log", ready, user=user, stop_signal=signal.SIGINT)
    return server, url


def _answers(url: str) -> bool:
    try:
        psycopg2.connect(url, connect_timeout=5).close()
    except psycopg2.Error:
        return False
    return True


def _prepare(url: str) -> None:
    """Make the role of the job runners, and let PostgreSQL count its statements."""
    link = psycopg2.connect(url)
    with link, link.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [JOBS_ROLE])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {JOBS_ROLE} SUPERUSER LOGIN")
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    link.close()


def run_inside(env: dict[str, str], arguments: Sequence[str]) -> int:
    """Run the command of these arguments as part of the service, and return its exit code.

    SIGINT and SIGTERM of this process reach it as SIGINT: it notes where it is, and ends. It never outlives this one.
    """
    own = partial(die_with, os.getpid())
    process = subprocess.Popen([sys.executable, "-m", "studies", *arguments], cwd=ROOT, env=env, preexec_fn=own)

    def pass_on(number: int, frame: object) -> None:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)

    before = {one: signal.signal(one, pass_on) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        return process.wait()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
