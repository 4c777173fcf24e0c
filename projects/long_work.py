"""Rows of long work: begin one, pause or stop it, tell where it stands, and carry it out."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from celery import Task
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction

from accounts.may import Action, may
from annotation.storage_error import StorageError
from projects.models.long_work import LongWork, Wanted
from projects.threads import background_job
from runtime import clock
from runtime.models import JobRun
from runtime.runs import claimed, request

State = LongWork.State
PAUSED = "paused"
"""The state of work that can go on; only some kinds have it."""
ENDS = {Wanted.PAUSE.value: PAUSED, Wanted.CANCEL.value: State.CANCELLED.value}
LOOK_SECONDS = 0.5
"""The time between two looks at whether the requester wants it to stop. Progress is written as often."""
Row = TypeVar("Row", bound=LongWork)


class BusyError(Exception):
    """Another piece of work of the same kind has not ended in this project; the message says what to do."""

    def __init__(self, why: str = "Another one is being made already: wait for it, or stop it.") -> None:
        super().__init__(why)


class Stopped(Exception):
    """The requester paused or cancelled the work, or the project is gone."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted


class CannotBeDone(Exception):
    """The work cannot be done as it was requested; the message says why."""


# --- What the requester does ---


def begin(model: type[Row], job: Task, *, busy: str = "", at_once: bool = True, **values: Any) -> Row:
    """Make a row with these values and request the work. Raises BusyError while another one has not ended.

    `at_once`: off, the caller calls `request_row` when its transaction is committed.
    """
    try:
        with transaction.atomic():
            row = model._default_manager.create(**values)
    except IntegrityError as error:
        raise (BusyError(busy) if busy else BusyError()) from error
    if at_once:
        request_row(row, job)
    return row


def request_row(row: LongWork, job: Task) -> None:
    """Ask the job runners to carry the work out. Its row must be committed: they look for it at once."""
    request(job, row.pk, key=row.key, share=row.share)


def stop(row: LongWork, wanted: Wanted = Wanted.CANCEL) -> None:
    """Pause or cancel the work. A process that does it reads this between two steps; other work stops at once."""
    mine = _rows(row)
    mine.filter(state__in=row.OPEN).update(**row.wish(wanted))
    idle = [State.WAITING] if wanted == Wanted.PAUSE else [State.WAITING, *row.RESUMABLE]
    if not works(row):
        idle.append(State.RUNNING)  # its process has ended
    mine.filter(state__in=idle).update(state=ENDS[wanted.value], ended_at=clock.now())


def works(row: LongWork, job: JobRun | None = None) -> bool:
    """Tell whether a process does the work, as far as its signs of life say."""
    job = job or JobRun.objects.filter(key=row.key).first()
    if job is None or job.state != JobRun.State.RUNNING or job.held_until is None:
        return False
    return job.held_until > clock.now()


def standing(row: LongWork) -> dict[str, Any]:
    """Return where the work stands, for its page."""
    catch_up(row, JobRun.objects.filter(key=row.key).first())
    return {"state": row.state, "done": row.done, "total": row.total, "problem": row.problem}


def catch_up(row: LongWork, job: JobRun | None) -> None:
    """Read the row anew. Work whose process ended too often has failed."""
    if row.state not in row.OPEN or job is None:
        return
    if job.state == JobRun.State.FAILED:
        failed = {"state": State.FAILED, "problem": job.problem, "ended_at": clock.now()}
        _rows(row).filter(state__in=row.OPEN).update(**failed)
    row.refresh_from_db()


# --- What a process does ---


class Watch:
    """The progress of one row of work."""

    def __init__(self, row: LongWork, *, by_command: bool = False) -> None:
        """`by_command`: by whoever may run commands on the server, whose right is not asked for."""
        self.row, self._by_command = row, by_command
        self._looked = float("-inf")

    def start(self) -> None:
        """Note that the work begins."""
        self.write(done=0, total=0)

    def tell(self, done: int, total: int, **values: Any) -> None:
        """Note how far the work is, but only twice a second. Raises what `obey` raises."""
        if self.is_due():
            self.write(done=done, total=total, **values)
            self.obey()

    def is_due(self) -> bool:
        """Tell whether it is time for a look, and begin to wait for the next one."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return False
        self._looked = now
        return True

    def write(self, **values: Any) -> None:
        """Write values of the row."""
        _rows(self.row).update(**values)

    def obey(self) -> None:
        """Raise Stopped if the requester wants the work to stop, and CannotBeDone if they lost the right to it."""
        if wanted := self.row.wanted_now():
            raise Stopped(wanted)
        self.check_right()

    def check_right(self) -> None:
        """Raise CannotBeDone if the account that began the work, or resumed it, may not do it now."""
        if not self._by_command:
            self.check_account(User.objects.filter(pk=self.row.user_id or 0).first())

    def check_account(self, user: User | None) -> None:
        """Raise CannotBeDone if this account does not manage the project."""
        if user is None or not may(user, Action.MANAGE, self.row.project_id):
            raise CannotBeDone("Whoever began this is no longer a requester of the project: begin it anew.")


def long_job(name: str, model: type[Row], do: Callable[[Row, Any], dict[str, Any]], watch: type[Watch] = Watch) -> Task:
    """Return the job that does the work of a row, unless the row is gone or another process does it."""

    @background_job(name)
    def carry_out_row(number: int) -> None:
        row = model._default_manager.filter(pk=number).first()
        if row is not None:
            with claimed(row.key) as mine:
                if mine:
                    carry_out(watch(row), partial(do, row))

    return carry_out_row


def carry_out(watch: Watch, do: Callable[[Any], dict[str, Any]]) -> None:
    """Do the work, and write how it ended: `do` returns values of the row. Raises only what nobody foresaw."""
    row = watch.row
    begun = {"state": State.RUNNING, "begun_at": clock.now(), "ended_at": None}
    if not _rows(row).filter(state__in=row.OPEN).update(**begun):
        return
    with suppress(Stopped, CannotBeDone, StorageError), end_written(watch):
        watch.start()
        watch.obey()  # a wish that came before the work began
        _end(row, State.DONE, **do(watch))


@contextmanager
def by_command(watch: Watch) -> Iterator[None]:
    """Let a command do the work of a new row in its own process, in the block, whose errors go on."""
    row = watch.row
    with claimed(row.key), end_written(watch):
        _rows(row).update(state=State.RUNNING, begun_at=clock.now())
        yield
        watch.write()
        _end(row, State.DONE)


def end_those_of_killed_commands(rows: Iterable[LongWork]) -> None:
    """Write of rows that commands work on that they have failed, if the process has ended."""
    for row in rows:
        if row.state == State.RUNNING and JobRun.objects.filter(key=row.key, job="").exists():
            with claimed(row.key) as mine:
                if mine:
                    _end(row, State.FAILED, problem="The command was killed. Run it again to continue.")


@contextmanager
def end_written(watch: Watch) -> Iterator[None]:
    """Write how the work in the block ended if an error ends it, which goes on."""
    row = watch.row
    try:
        yield
    except Stopped as stopped:
        _end(row, ENDS[stopped.wanted])
        raise
    except (CannotBeDone, StorageError) as error:
        watch.write()
        _end(row, State.FAILED, problem=str(error))
        raise
    except DatabaseError:
        raise  # a lock that was waited for too long: the row's time runs out, and the sweep begins it again
    except Exception as error:
        _end(row, State.FAILED, problem=f"{type(error).__name__}: {error}")
        raise


def _end(row: LongWork, state: str, *, problem: str = "", **values: Any) -> None:
    ended = {"state": state, "problem": problem[:2000], "ended_at": clock.now()}
    _rows(row).update(**ended, **row.wish(Wanted.NOTHING), **values)


def _rows(row: LongWork) -> Any:
    return type(row)._default_manager.filter(pk=row.pk)
