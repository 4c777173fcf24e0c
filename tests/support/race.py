"""Threads that work on one project at once, each with a database connection of its own.
Code that may end in a kill, in a process of its own.
"""

import os
import signal
import threading
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import connection

from annotation.models import Project
from pipeline.models import Question
from tests.support.services import PATIENCE, wait_until

NOTHING = object()
"""Returned by a body that has found nothing to do."""
MOST_MOVES = 20_000
"""More acts of bodies than any race here needs, by far: a race that goes on is one that does not end."""


class Race:
    """Threads that run until the project has nothing open; what went wrong is kept."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.errors: list[BaseException] = []
        self._moves, self._moved = 0, threading.Condition()

    def run(self, *bodies: Callable[[], object]) -> None:
        """Each body again and again. One that returns NOTHING waits until another one has done something."""
        self._run([partial(self._repeat, body) for body in bodies])

    def run_once(self, *bodies: Callable[[], object]) -> None:
        """Each body once, started at the same moment."""
        gate = threading.Barrier(len(bodies), timeout=PATIENCE)

        def through(body: Callable[[], object]) -> Callable[[], object]:
            def started() -> None:
                gate.wait()
                body()

            return started

        self._run([through(body) for body in bodies])

    def _run(self, bodies: list[Callable[[], object]]) -> None:
        threads = [threading.Thread(target=self._guard, args=(body,), daemon=True) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            seen = -1
            while thread.is_alive() and seen < self._moves <= MOST_MOVES:  # a slow machine may take longer as it moves
                seen = self._moves
                thread.join(PATIENCE)
            if thread.is_alive() and not self.errors:
                open_now = list(self._open())
                self.errors.append(AssertionError(f"not finished after {self._moves} moves, and open: {open_now}"))
        if self.errors:
            raise self.errors[0]

    def _guard(self, body: Callable[[], object]) -> None:
        try:
            body()
        except BaseException as error:
            self.errors.append(error)
        finally:
            connection.close()
            self._move()

    def _repeat(self, body: Callable[[], object]) -> None:
        while not self.errors and self._open().exists():
            before = self._moves
            if body() is NOTHING:
                self._wait_for_a_move(before)
            else:
                self._move()

    def _wait_for_a_move(self, before: int) -> None:
        with self._moved:
            self._moved.wait_for(lambda: self._moves > before, PATIENCE)

    def _move(self) -> None:
        with self._moved:
            self._moves += 1
            self._moved.notify_all()

    def _open(self) -> Any:
        """Return what is open: image, number, task, state and the number of workers who may not answer."""
        rows = Question.objects.filter(project=self.project).exclude(state="closed")
        return rows.values_list("image", "number", "task", "state", "barred_count")


def is_killed(body: Callable[[], Any]) -> bool:
    """Run the body in a child of this process, and return whether it was killed. It sees rows that are committed."""
    connection.close()
    child = os.fork()
    if child == 0:
        try:
            body()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), "the process failed"
    assert wait_until(_are_its_locks_gone)
    return os.WIFSIGNALED(status)


def _are_its_locks_gone() -> bool:
    """Tell whether PostgreSQL has noticed that the process is gone. Until then its rows stay locked."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        cursor.execute(others)
        return cursor.fetchone() == (0,)
