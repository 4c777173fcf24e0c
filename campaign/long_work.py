"""Rows of long work: begin one, stop it, tell where it stands, and carry it out."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from celery import Task
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction

from campaign.models.long_work import LongWork
from members.may import Action, may
from upkeep import clock
from upkeep.models import JobRun
from upkeep.runs import held, request

State = LongWork.State
LOOK_SECONDS = 0.5
"""The time between two looks at whether the requester wants it to stop. Progress is written as often."""
Row = TypeVar("Row", bound=LongWork)


class BusyError(Exception):
    """Another piece of work of the same kind has not ended in this project."""


class Stopped(Exception):
    """The requester stopped the work, or the project is gone."""


class CannotBeDone(Exception):
    """The work cannot be done as it was requested; the message says why."""


def begin(model: type[Row], job: Task, **values: Any) -> Row:
    """Make a row with these values and request the work. Raises BusyError while another one has not ended."""
    try:
        with transaction.atomic():
            row = model._default_manager.create(**values)
    except IntegrityError as error:
        raise BusyError("Another one is being made already: wait for it, or stop it.") from error
    request(job, row.pk, key=row.key, share=f"long work of {row.project_id}")
    return row


def stop(row: LongWork) -> None:
    """Stop the work. A process that does it reads this between two steps; work that nobody does stops at once."""
    mine = _rows(row).filter(state__in=row.OPEN)
    mine.update(stopped=True)
    job = JobRun.objects.filter(key=row.key, state=JobRun.State.RUNNING).first()
    works = job is not None and job.held_until is not None and job.held_until > clock.now()
    idle = [State.WAITING] if works else list(row.OPEN)
    mine.filter(state__in=idle).update(state=State.CANCELLED, ended_at=clock.now())


def standing(row: LongWork) -> dict[str, Any]:
    """Return where the work stands, for its page. Work whose process ended too often has failed."""
    job = JobRun.objects.filter(key=row.key).first()
    if row.state in row.OPEN and job is not None and job.state == JobRun.State.FAILED:
        failed = {"state": State.FAILED, "problem": job.problem, "ended_at": clock.now()}
        _rows(row).filter(state__in=row.OPEN).update(**failed)
        row.refresh_from_db()
    return {"state": row.state, "done": row.done, "total": row.total, "problem": row.problem}


class Watch:
    """The progress of one row of work."""

    def __init__(self, row: LongWork, *, by_command: bool = False) -> None:
        """`by_command`: by whoever may run commands on the server, whose right is not asked for."""
        self._row, self._mine, self._by_command = row, _rows(row), by_command
        self._looked = float("-inf")

    def tell(self, done: int, total: int, **values: Any) -> None:
        """Note how far the work is, but only twice a second.

        Raises Stopped if the requester wants it to stop, and CannotBeDone if they are no requester any more.
        """
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        self._mine.update(done=done, total=total, **values)
        if self._mine.values_list("stopped", flat=True).first() is not False:
            raise Stopped
        self.check_right()

    def check_right(self) -> None:
        """Raise CannotBeDone if the account that began the work does not manage the project now."""
        user = User.objects.filter(pk=self._row.user_id or 0).first()
        if not self._by_command and (user is None or not may(user, Action.MANAGE, self._row.project_id)):
            raise CannotBeDone("Whoever began this is no requester of the project any more: begin it anew.")


def carry_out_once(row: Row | None, do: Callable[[Row, Watch], dict[str, Any]]) -> None:
    """Do the work, unless its row is gone or another process does it."""
    if row is None:
        return
    with held(row.key) as mine:
        if mine:
            carry_out(row, partial(do, row))


def carry_out(row: LongWork, do: Callable[[Watch], dict[str, Any]], *, by_command: bool = False) -> None:
    """Do the work, and write how it ended: `do` returns values of the row. Raises only what nobody foresaw."""
    mine = _rows(row)
    if not mine.filter(state__in=row.OPEN).update(state=State.RUNNING, begun_at=clock.now(), done=0, total=0):
        return
    watch = Watch(row, by_command=by_command)
    try:
        watch.check_right()
        values = do(watch)
    except Stopped:
        mine.update(state=State.CANCELLED, ended_at=clock.now())
    except CannotBeDone as error:
        mine.update(state=State.FAILED, problem=str(error)[:2000], ended_at=clock.now())
    except DatabaseError:
        raise  # a lock that was waited for too long: the row's time runs out, and the sweep begins it again
    except Exception as error:
        mine.update(state=State.FAILED, problem=f"{type(error).__name__}: {error}"[:2000], ended_at=clock.now())
        raise
    else:
        mine.update(state=State.DONE, ended_at=clock.now(), **values)


def _rows(row: LongWork) -> Any:
    return type(row)._default_manager.filter(pk=row.pk)
