"""A whole service of its own for one campaign: PostgreSQL, Redis, web server, job runner and clock, or embedded."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg2  # type: ignore[import-untyped]

from studies.servers import Server, answers, supervised
from tests.support.services import DURABLE, make_cluster, postgres_program, reserved_port

if TYPE_CHECKING:
    from studies.faults.crew import Crew

CLOCKS = ("web", "jobs", "beat")
"""The servers whose clocks a fault can move."""
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

SLEEP = """# Python sleeps until a moment of the monotonic clock, which libfaketime takes for an invalid one.
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds)
"""


@dataclass
class Stack:
    """A running service, and what a campaign needs to disturb it."""

    root: Path
    """The source tree that runs."""
    folder: Path
    """Everything that the campaign writes."""
    env: dict[str, str]
    """The variables of the service, for commands."""
    port: int
    """Of the pages."""
    servers: dict[str, Server]
    failures: list[str] = field(default_factory=list)
    """Commands that failed again and again, and what else a fault left undone."""
    crew: "Crew | None" = None
    """The workers, once they work."""

    @property
    def marks(self) -> Path:
        """The folder in which a file named after a marked point ends the next process that reaches the point."""
        return self.folder / "marks"

    def clock(self, server: str) -> Path:
        """Return the file that says by how much the clock of a server is wrong."""
        return self.folder / f"{server}.clock"

    @property
    def embedded(self) -> bool:
        return "database" not in self.servers

    def ask(self, statement: str) -> list[tuple[Any, ...]] | None:
        """Return the rows of a statement; None if the database does not answer."""
        try:
            link = psycopg2.connect(self.env["DATABASE_URL"], connect_timeout=5)
            with closing(link), link.cursor() as cursor:
                cursor.execute(statement)
                return list(cursor.fetchall())
        except psycopg2.Error:
            return None

    def command(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Run a command of the service. Raises RuntimeError with its last lines if it fails and `check` is set."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.root, env=self.env, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(arguments[:4])} failed:\n{(done.stdout + done.stderr)[-2000:]}")
        return done

    def inside(self, what: str, project: str, *options: str) -> Any:
        """Return what `fault_books` finds or does, in a process with the service's database. Raises RuntimeError."""
        return json.loads(self.command("-m", "studies", "fault_books", what, project, *options).stdout.splitlines()[-1])


@contextmanager
def running(root: Path, folder: Path, *, embedded: bool = False, empty: Path | None = None) -> Iterator[Stack]:
    """Run the service of a source tree in a folder until the block ends. Raises ServerError if it does not start.

    An embedded service may start from a copy of `empty`, the folder of another one, instead of running the migrations.
    """
    env = _prepare_folder(folder)
    if empty:
        shutil.copytree(empty, folder / "data")
    with ExitStack() as exit_stack:
        pages, database, queue = (exit_stack.enter_context(reserved_port()) for _ in range(3))
        stack = Stack(root, folder, env, pages, {})
        makes = (lambda: _database(stack, database), lambda: _redis(stack, queue), lambda: _service(stack))
        for make in (lambda: _embedded(stack),) if embedded else makes:
            servers = make()
            for server in servers:
                server.start()
            exit_stack.enter_context(supervised(servers))
            stack.servers |= {server.name: server for server in servers}
            for server in servers:
                server.wait_ready()
        yield stack


def _prepare_folder(folder: Path) -> dict[str, str]:
    """Make the folder of a stack, and return the variables that all of its processes have."""
    (folder / "marks").mkdir(parents=True)
    for place in (folder, folder.parent):
        place.chmod(0o711)  # the postgres user must pass through
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
        "CHAINBOX_DATA": str(folder / "data"),
        "CHAINBOX_FAULTS": str(folder / "marks"),
        "TICK_SECONDS": "2",
        "HTTPS": "off",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _embedded(stack: Stack) -> Sequence[Server]:
    if not (stack.folder / "data").exists():
        stack.command("manage.py", "migrate", "--verbosity", "0")
    command = [sys.executable, str(stack.root / "manage.py"), "serve", "--port", str(stack.port)]
    return [_server(stack, "service", command, lambda: answers(stack.port))]


def _database(stack: Stack, port: int) -> Sequence[Server]:
    folder = stack.folder / "postgres"
    user = make_cluster(folder)
    values = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", *DURABLE]
    command = [postgres_program("postgres"), "-D", str(folder / "data")]
    command += [part for value in values for part in ("-c", value)]
    stack.env["DATABASE_URL"] = f"postgres://postgres@127.0.0.1:{port}/postgres"
    server = _server(stack, "database", command, lambda: stack.ask("SELECT 1") == [(1,)])
    server.user = user
    return [server]


def _redis(stack: Stack, port: int) -> Sequence[Server]:
    stack.env["REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(stack.folder)]
    return [_server(stack, "redis", command, lambda: _is_open(port))]


def _service(stack: Stack) -> Sequence[Server]:
    stack.env |= {"SECRET_KEY": "only-for-a-service-that-is-thrown-away", "ALLOWED_HOSTS": "127.0.0.1"}
    stack.env |= {"BIND": f"127.0.0.1:{stack.port}", "WEB_PROCESSES": "2", "WORKER_PROCESSES": "2"}
    stack.command("manage.py", "migrate", "--verbosity", "0")
    script = str(stack.root / "scripts" / "process.sh")
    parts = {"web": "web", "jobs": "worker", "beat": "beat"}
    made = [_server(stack, name, ["sh", script, kind], lambda: True) for name, kind in parts.items()]
    made[0].ready = lambda: answers(stack.port)
    return made


def _server(stack: Stack, name: str, command: Sequence[str], ready: Callable[[], bool]) -> Server:
    """Return a server of the stack. One that is in CLOCKS has a movable clock."""
    env = dict(stack.env)
    if name in CLOCKS and Path(FAKETIME).exists():
        site = stack.folder / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(SLEEP)
        stack.clock(name).write_text("+0")
        env |= {
            "PYTHONPATH": str(site),
            "LD_PRELOAD": FAKETIME,
            "FAKETIME_TIMESTAMP_FILE": str(stack.clock(name)),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
    return Server(name, command, stack.folder / f"{name}.log", ready, env=env)


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
