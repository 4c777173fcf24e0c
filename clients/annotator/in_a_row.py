"""Replies that cannot be read, one after the other: some are skipped, the fifth ends the run before it costs more."""

import threading

from clients.annotator.errors import ColleagueError, UnreadableReply
from clients.annotator.replies import Replies

MAX_PROBLEMS_IN_A_ROW = 5


class InARow:
    """Counts over all threads. Replies that were kept in an earlier run are not counted: they cost nothing now."""

    def __init__(self, replies: Replies, server: str) -> None:
        self._replies, self._server, self._lock = replies, server, threading.Lock()
        self._count, self._open = 0, list[tuple[str, UnreadableReply]]()

    def end(self) -> None:
        """Note a reply that could be read: those before it are skipped."""
        with self._lock:
            self._count = 0
            for _, reason in self._open:
                reason.is_open = False
            self._open.clear()

    def add(self, reason: object, digest: str = "") -> None:
        """Note a reply that could not be read; `digest`: of its request if the reply was kept.

        Raises ColleagueError at the fifth in a row, and forgets these replies: after the cause was mended, the same
        questions are asked again.
        """
        with self._lock:
            self._count += 1
            if isinstance(reason, UnreadableReply):
                reason.is_open = True
                self._open.append((digest, reason))
            if self._count < MAX_PROBLEMS_IN_A_ROW:
                return
            for kept, problem in self._open:
                problem.is_open, problem.is_left = False, True
                self._replies.forget(kept)
            self._open.clear()
        raise ColleagueError(
            f"The last {self._count} replies of the model server at {self._server} cannot be read ({reason}). See what "
            "it answers with the command try; then go on by the same command."
        )
