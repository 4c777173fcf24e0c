"""A PostgreSQL and a Redis for tests: on ports of their own, in a temporary folder, stopped by process id.

Plain Python without dependencies: scripts/with_services.py runs it before anything is installed.
"""

import contextlib
import ctypes
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 300
"""Seconds for which tests and studies wait for what must come. On a busy machine a second may become 25."""


FAST = (
    "fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0",
    "jit=off", "autovacuum=off",
)  # fmt: skip
"""Settings of a temporary database, which needs no protection from power failures, and lives for minutes."""
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")


class ServiceError(RuntimeError):
    """A service did not start. The message holds the end of its log."""


@contextlib.contextmanager
def reserved_port() -> Iterator[int]:
    """Keep a port of 127.0.0.1 until the block ends; nothing listens there but a server that the block starts.

    Linux gives a port that is bound to nobody else, except to servers that set SO_REUSEADDR, as all of them do, and
    that ask for this very one.
    """
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield holder.getsockname()[1]


def postgres_program(name: str) -> str:
    """Return the path of a program of the newest PostgreSQL installed. Raises ServiceError if there is none."""

    def version(path: str) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", path))

    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=version)
    path = found[-1] if found else shutil.which(name)
    if not path:
        raise ServiceError(f"PostgreSQL's {name} is not installed: apt-get install postgresql")
    return path


@contextlib.contextmanager
def services(*, durable: bool = False) -> Iterator[dict[str, str]]:
    """Run both servers until the block ends; yields DATABASE_URL and REDIS_URL.

    With `durable`, PostgreSQL writes to disk before it confirms, as on a real server; this is slower.
    """
    folder = Path(tempfile.mkdtemp(prefix="chainbox-services-"))
    folder.chmod(0o711)  # the postgres user must pass through
    try:
        with postgres(folder / "postgres", durable=durable) as database_url, redis(folder / "redis") as redis_url:
            yield {"DATABASE_URL": database_url, "REDIS_URL": redis_url}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def postgres(folder: Path, *, durable: bool) -> Iterator[str]:
    """Run a new PostgreSQL in the folder, with an empty database `chainbox`; yields its URL."""
    user, data = make_cluster(folder), folder / "data"

    def command(port: int) -> list[str]:
        settings = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}"]
        settings += ["max_connections=200", *(DURABLE if durable else FAST)]
        if _counts_statements():
            settings += ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"]
        return [postgres_program("postgres"), "-D", str(data), *(part for one in settings for part in ("-c", one))]

    def ready(process: subprocess.Popen[bytes], port: int) -> bool:
        # The server writes this file in its own folder, so no other server can be mistaken for it.
        note = data / "postmaster.pid"
        lines = note.read_text().splitlines() if note.exists() else []
        return len(lines) >= 8 and lines[0] == str(process.pid) and lines[3] == str(port) and "ready" in lines[7]

    with _server(command, ready, folder / "log", user=user, stop=signal.SIGINT) as port:
        at = ["--host=127.0.0.1", f"--port={port}", "--username=postgres"]
        _run([postgres_program("createdb"), *at, "chainbox"], None)
        yield f"postgres://postgres@127.0.0.1:{port}/chainbox"


def make_cluster(folder: Path) -> str | None:
    """Make the folder, and in its `data` a new PostgreSQL. Returns the user who runs it; None: that of this process."""
    user = "postgres" if os.getuid() == 0 else None  # PostgreSQL refuses to run as root
    folder.mkdir()
    if user:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    _run([postgres_program("initdb"), f"--pgdata={folder / 'data'}", *options], user)
    return user


def _counts_statements() -> bool:
    """Tell whether this PostgreSQL can count its statements. Debian's package holds the library."""
    return bool(glob.glob(str(Path(postgres_program("postgres")).parent.parent / "lib" / "pg_stat_statements.so")))


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a new Redis that keeps nothing on disk; yields its URL."""
    program = shutil.which("redis-server")
    if not program:
        raise ServiceError("redis-server is not installed: apt-get install redis-server")
    folder.mkdir()

    def command(port: int) -> list[str]:
        return [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]

    def ready(process: subprocess.Popen[bytes], port: int) -> bool:
        return f"process_id:{process.pid}\r\n" in _redis_info(port)

    with _server(command, ready, folder / "log") as port:
        yield f"redis://127.0.0.1:{port}/0"


def _redis_info(port: int) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as link:
            link.sendall(b"INFO server\r\n")
            return link.recv(65536).decode(errors="replace")
    except OSError:
        return ""


@contextlib.contextmanager
def _server(
    command: Callable[[int], Sequence[str]],
    ready: Callable[[subprocess.Popen[bytes], int], bool],
    log: Path,
    *,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[int]:
    """Run the command on a port of its own until the block ends."""
    with reserved_port() as port, child(command(port), log, user=user, stop=stop) as process:
        if not wait_until(lambda: process.poll() is not None or ready(process, port)) or process.poll() is not None:
            raise ServiceError(f"{command(port)[0]} did not start:\n{log.read_text(errors='replace')[-2000:]}")
        yield port


@contextlib.contextmanager
def child(
    command: Sequence[str],
    log: Path,
    *,
    env: dict[str, str] | None = None,
    cwd: str = "/",
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process until the block ends, with its output in the log. It also ends if this process is killed."""
    process = spawn(command, log, env=env, cwd=cwd, user=user, stop=stop)
    try:
        yield process
    finally:
        _stop(process, stop)


def spawn(
    command: Sequence[str],
    log: Path,
    *,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a process with its output in the log. It gets the signal `stop` when the thread that started it ends."""
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=cwd,
            **_as_user(user),
            start_new_session=True,  # Ctrl-C in the terminal must not reach the process: it is stopped in order
            preexec_fn=lambda: _die_with_parent(stop),
        )


def _as_user(user: str | None) -> dict[str, Any]:
    """Return the arguments with which a process runs as this user; None: as this one."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}


def _die_with_parent(by: signal.Signals) -> None:
    """Ask Linux to send the signal to this process when its parent ends.

    A shell starts background processes deaf to two signals, and their children inherit that.
    """
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, int(by))


def _stop(process: subprocess.Popen[bytes], by: signal.Signals) -> None:
    if process.poll() is not None:
        return
    process.send_signal(by)
    process.send_signal(signal.SIGCONT)  # one that a test froze gets the first signal only now
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Wait for the condition. Returns False if it is not true after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _run(command: Sequence[str], user: str | None) -> None:
    done = subprocess.run(command, cwd="/", **_as_user(user), capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
