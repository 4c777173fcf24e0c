"""The job runners of one machine: `python -m config.runners [--clock]`, which scripts/process.sh starts.

Every queue has processes of its own. So the tick and what follows an answer wait for no import, and an import for no
forecast, with two processes as with twenty. All are forked from one that has loaded the program: they share its memory.
Linux ends them with that one, however it ends: nothing of an old service runs on beside a new one.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType

from django.conf import settings

from config.processes import call_itself, die_with, keep_what_is_loaded

AGAIN_SECONDS = 1.0
"""A process that ended is started again, but not more often than that."""
OPTIONS = ("--pool", "solo", "--without-gossip", "--without-mingle", "--loglevel", "WARNING")


def commands(processes: int, *, clock: bool) -> list[list[str]]:
    """Return the arguments of each process for Celery. `processes`: the most beyond one for each queue."""
    each = max(1, processes // len(settings.QUEUES))
    runners = [
        ["worker", "-Q", queue, "--hostname", f"{queue}-{number}-{os.getpid()}@%h", *OPTIONS]
        for queue in settings.QUEUES
        for number in range(each)
    ]
    return ([["beat", "--loglevel", "WARNING"]] if clock else []) + runners


def name_of(command: Sequence[str]) -> str:
    """Return the name of a process: `clock`, or `jobs` with its queue."""
    return f"jobs {command[command.index('-Q') + 1]}" if "-Q" in command else "clock"


class Runners:
    """The processes, each started again when it ends, until this one is told to stop."""

    def __init__(self, commands: Sequence[list[str]], run: Callable[[list[str]], None]) -> None:
        self._run, self._commands = run, commands
        self._running: dict[int, list[str]] = {}
        self._stops = False

    def serve(self) -> None:
        """Run them until SIGTERM or SIGINT: each finishes the job that it does, and begins no other one."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self._stop)
        for command in self._commands:
            self._start(command)
        while self._running:
            pid, _ = os.wait()
            command = self._running.pop(pid)
            if not self._stops:
                time.sleep(AGAIN_SECONDS)
                if not self._stops:
                    self._start(command)

    def _start(self, command: list[str]) -> None:
        before = os.getpid()
        pid = os.fork()
        if pid:
            self._running[pid] = command
            if self._stops:  # the signal came in between
                os.kill(pid, signal.SIGTERM)
            return
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        die_with(before)
        call_itself(name_of(command))
        try:
            self._run(command)
        finally:
            os._exit(0)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stops = True
        for pid in list(self._running):
            os.kill(pid, signal.SIGTERM)


def main(arguments: Sequence[str]) -> None:
    """Load the program, and serve."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.celery import app

    app.loader.import_default_modules()
    app.finalize()
    keep_what_is_loaded()
    Runners(commands(settings.WORKER_PROCESSES, clock="--clock" in arguments), app.start).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
