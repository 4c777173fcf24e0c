"""Pieces of one large job as rows, which several job runners make side by side.

The queue is rows: a `JobRun` for each piece. They outlive Redis and every process, and tell how far the job is. A
message about a piece would be lost with its broker, and a group of Celery's with its results; a hint that help is
welcome may be lost, since whoever does the job makes all that nobody else takes. Where jobs run in place, one process
makes the same pieces one after another.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction

from runtime.models import JobRun
from runtime.runs import claimed

PIECE = "piece of "
LOOK_SECONDS = 0.2
"""The time between two looks at pieces that others make."""
DONE = JobRun.State.DONE


class PieceRows:
    """The rows of the pieces of one job. `key` names the job among the runs of jobs."""

    def __init__(self, key: str) -> None:
        self._before = f"{PIECE}{key} "

    def add(self, pieces: Iterable[tuple[str, list[Any]]]) -> None:
        """Write the row of each piece, by its name and its arguments. Names sort in the order of making."""
        rows = [JobRun(key=self._before + name, job="", arguments=arguments) for name, arguments in pieces]
        with transaction.atomic():
            JobRun.objects.bulk_create(rows, ignore_conflicts=True)

    def rows(self) -> list[JobRun]:
        """Return the rows in the order of their names. Their arguments are read when they are needed."""
        return list(JobRun.objects.filter(key__startswith=self._before).order_by("key").defer("arguments"))

    def name_of(self, row: JobRun) -> str:
        """Return the name of the piece."""
        return row.key.removeprefix(self._before)

    def make_one(self, make: Callable[[JobRun], None], may: Callable[[str], bool] = lambda name: True) -> bool:
        """Make the first piece that nobody makes. Returns False if there is none. `may`: by the name of a piece."""
        for row in self.rows():
            if row.state == DONE or not may(self.name_of(row)):
                continue
            with claimed(row.key) as mine:
                if mine and JobRun.objects.filter(pk=row.pk).exists():
                    make(row)
                    return True
                if mine:  # it was made, used and deleted since the rows were read
                    JobRun.objects.filter(key=row.key).delete()
        return False

    def forget(self) -> None:
        """Delete the rows."""
        JobRun.objects.filter(key__startswith=self._before).delete()


def forget_pieces(until: datetime) -> None:
    """Delete the rows of jobs that were begun before this time, and never ended, but for those that somebody makes."""
    old = JobRun.objects.filter(key__startswith=PIECE, asked_at__lt=until)
    old.exclude(state=JobRun.State.RUNNING, held_until__gte=until).delete()
