"""Processes of a service that a study runs: started, waited for, ended, frozen, and started again if they end."""

import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.services import PATIENCE, spawn, wait_until

SUPERVISED_EVERY = 0.1
STOP_SECONDS = 10
INSIST_SECONDS = 30
"""A server that was told to end and runs on gets SIGQUIT after this time; supervisors do the same.

PostgreSQL 15 hangs if it is told to end while it recovers from a crash.
"""


class ServerError(RuntimeError):
    """A server did not start. The message holds the end of its log."""


@dataclass
class Server:
    """One server: a process that is started again when it ends, unless it is held."""

    name: str
    command: Sequence[str]
    log: Path
    ready: Callable[[], bool]
    env: dict[str, str] | None = None
    user: str | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    held: bool = False
    process: "subprocess.Popen[bytes] | None" = None
    starts: int = 0
    told_at: float = 0.0
    """The monotonic time when the process was told to end; 0: it was not."""
    sessions: list[int] = field(default_factory=list)
    """The sessions of every process so far, to end what a killed parent left behind."""

    def start(self) -> None:
        self.process = spawn(self.command, self.log, env=self.env, user=self.user)
        self.sessions.append(self.process.pid)
        self.told_at = 0.0
        self.starts += 1

    @property
    def pid(self) -> int:
        """The process id of the root process; the first moment of a restart has the old one."""
        assert self.process is not None
        return self.process.pid

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def family(self) -> list[int]:
        """Return the process ids of the root process and all its descendants."""
        return family_of(self.pid) if self.alive() else []

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the root process, if it runs."""
        if self.alive():
            if number in (signal.SIGINT, signal.SIGTERM):
                self.told_at = time.monotonic()
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def insist(self) -> None:
        """End the process if it was told to, and has not ended in time."""
        if self.told_at and time.monotonic() > self.told_at + INSIST_SECONDS:
            self.told_at = 0.0
            self.send(signal.SIGQUIT)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process of the server until the block ends."""
        family = self.family()
        send_all(family, signal.SIGSTOP)
        try:
            yield
        finally:
            send_all(family, signal.SIGCONT)

    def wait_ready(self) -> None:
        """Wait until the server answers. Raises ServerError if it does not."""
        if not wait_until(self.ready):
            log = self.log.read_text(errors="replace")[-2000:]
            raise ServerError(f"{self.name} did not start within {PATIENCE:g} s. The end of its log:\n{log}")

    def stop(self) -> None:
        """End the server for good, and everything that its killed predecessors left behind."""
        self.held = True
        self.send(self.stop_signal)
        if self.process is not None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
        for session in self.sessions:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(session, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


@contextmanager
def supervised(servers: Sequence[Server]) -> Iterator[None]:
    """Start each server again within a moment of its end, until the block ends; then end all, the last one first."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(SUPERVISED_EVERY):
            for server in servers:
                server.insist()
                if not server.held and server.process is not None and not server.alive():
                    server.start()

    watcher = threading.Thread(target=watch, name="supervisor")
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        for server in reversed(servers):
            server.stop()


def stat_of(pid: int) -> list[str]:
    """Return what the system tells of a process (proc_pid_stat), from its state on. Raises OSError if it is gone."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def children_of(pid: int) -> list[int]:
    """Return the process ids of the direct children of every thread of a process."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(word) for word in file.read_text().split()]
    return found


def family_of(pid: int) -> list[int]:
    """Return the process ids of a process and all its descendants."""
    found = [pid]
    for one in found:
        found += children_of(one)
    return found


def send_all(pids: Sequence[int], number: signal.Signals) -> None:
    """Send a signal to those of the processes that still run."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def answers(port: int) -> bool:
    """Return whether a web server of this machine answers its health check with 200."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
