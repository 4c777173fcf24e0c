"""The progress of long work, as the process that does it writes it, and the ways in which work ends early."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from projects.models import Run

Row = TypeVar("Row")
LOOK_SECONDS = 0.5
"""The time between two looks at what is requested. Progress is written as often."""


class Stopped(Exception):
    """The work was paused or cancelled, or the project is gone."""

    def __init__(self, requested: str) -> None:
        super().__init__(requested)
        self.requested = requested


class CannotBeDone(Exception):
    """The work cannot be done as it was requested; the message says why."""


class Progress:
    """The progress of a run, in the process that does it."""

    def __init__(
        self, run: Run, check_right: Callable[[], object] | None, show: "Callable[[Progress], object]" = lambda _: None
    ) -> None:
        """`check_right` raises CannotBeDone; None: a command works by the right to run commands on the server. `show`
        is called with each step."""
        self.run, self.by_command = run, check_right is None
        self._check_right = check_right
        self.done = self.total = 0
        self.message = ""
        self.more: Callable[[], dict[str, Any]] = dict
        """Returns further values of the row, which are written with the progress."""
        self._show = show
        self._looked = float("-inf")

    def begin(self, total: int) -> None:
        """Note about how many steps there are."""
        self.total = total
        self.write()

    def advance(self, done: int, total: int, message: str = "") -> None:
        """Note how far the work is. Raises what `look` raises."""
        self.done, self.total, self.message = done, total, message or self.message
        self._show(self)
        self.look()

    def through(self, rows: Iterable[Row], total: int) -> Iterator[Row]:
        """Hand on rows of a source. When the next one is asked for, the one before was written."""
        self.begin(total)
        for row in rows:
            self.look()
            yield row
            self.done += 1

    def look(self) -> None:
        """Write the progress, and check, but no more than twice a second. Raises what `check` raises."""
        if (now := time.monotonic()) - self._looked >= LOOK_SECONDS:
            self._looked = now
            self.write()
            self.check()

    def write(self) -> None:
        """Write the progress into the row."""
        more = self.more()
        mine = Run.objects.filter(pk=self.run.pk)
        mine.update(done=self.done, total=max(self.total, self.done), message=self.message[:200], **more)

    def check(self) -> None:
        """Raise Stopped if that is requested, or CannotBeDone if the account may not do the work any more."""
        found = Run.objects.filter(pk=self.run.pk).values_list("requested", flat=True).first()
        if requested := Run.Request.CANCEL.value if found is None else found:
            raise Stopped(requested)
        if self._check_right:
            self._check_right()
