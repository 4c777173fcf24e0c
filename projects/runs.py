"""Long work: begin a run, pause, resume or stop it, say how far it is, and carry it out."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from annotated_types import MaxLen
from celery import Task
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.utils.module_loading import import_string
from pydantic import BaseModel, RootModel

from accounts.may import may
from annotation.models import Project
from pipeline.jobs import job
from projects.models import Run
from projects.operation import (
    Caller,
    CannotBeDone,
    Input,
    Operation,
    Output,
    Progress,
    Refused,
    Stopped,
    Work,
    find_row,
    operation,
)
from runtime import clock
from runtime.disk_errors import StorageError
from runtime.models import JobRun
from runtime.runs import claimed, request

logger = logging.getLogger(__name__)
THREADS = 2
"""The threads that do long work. All share one processor with the pages, so more of them would only slow these."""
_waiting: deque[Callable[[], None]] = deque()
_lock = threading.Lock()
_threads = 0


def background_job(name: str) -> Callable[[Callable[[int], None]], Task]:
    """Return a decorator that makes a job of work about the row with a number."""

    def decorate(work: Callable[[int], None]) -> Task:
        @job(name=name)
        def begin(number: int) -> None:
            in_background(partial(work, number))

        return begin

    return decorate


def in_background(work: Callable[[], None]) -> None:
    """Do the work of a job: here in a job runner, on a thread where jobs run in place.

    If the process ends, the tick finds the work and begins it again.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        on_a_thread(work)
    else:
        work()


def on_a_thread(work: Callable[[], None]) -> None:
    """Do the work on one of the threads, in turn."""
    global _threads
    with _lock:
        _waiting.append(work)
        if _threads == THREADS:
            return
        _threads += 1
    threading.Thread(target=_work_off, name="long work", daemon=True).start()


def _work_off() -> None:
    global _threads
    while True:
        with _lock:
            if not _waiting:
                _threads -= 1
                return
            work = _waiting.popleft()
        _guarded(work)


def _guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("Long work failed; its page says so, and it can be begun again there.")
    finally:
        connections.close_all()


State = Run.State
ENDS = {Run.Request.PAUSE.value: State.PAUSED.value, Run.Request.CANCEL.value: State.CANCELLED.value}
RESUMABLE = (State.PAUSED.value, State.FAILED.value)
KILLED = "The command was killed. Run it again to continue."
AnyOperation = Operation[Any, Any, Any]


class RunRow(Output):
    """A run, as pages and programs see it."""

    id: int
    project: str
    operation: str
    """The operation that began it."""
    state: State
    requested: str
    """A request that is still to be met: pause, cancel, or empty."""
    input: dict[str, Any]
    """The values that it was begun with."""
    done: int
    total: int
    """About as many steps as there are; 0: not known."""
    counts: str
    """The progress, in words."""
    message: str
    """The present step, in words, or the last one."""
    problem: str
    """The reason why it failed."""
    interrupted: bool
    """Its process has ended; the work goes on by itself within a minute."""
    resumable: bool
    """It can be paused, and goes on after that and after a failure."""
    seconds: float
    """Seconds since it began, or that it took."""
    asked_at: datetime
    result: dict[str, Any] | None
    """The result, or what was counted so far; a list leaves it out."""
    words: list[str]
    """The result in sentences, once it is done; a list leaves them out."""

    @property
    def is_open(self) -> bool:
        return self.state in Run.OPEN

    @property
    def can_resume(self) -> bool:
        """The run was stopped, and its work can go on where it ended."""
        return self.resumable and self.state in RESUMABLE


def operation_of(run: Run) -> AnyOperation:
    """Return the operation that began the run. By its path, since the operations import this module."""
    operations: dict[str, AnyOperation] = import_string("projects.operations.LONG_OPERATIONS")
    return operations[run.operation]


def work_of(run: Run) -> Work:
    """Return the declaration of the run's work."""
    work = operation_of(run).work
    assert work is not None
    return work


# --- What people do ---


def start(
    operation: AnyOperation, project: Project, caller: Caller, inputs: BaseModel | None = None, *, send: bool = True
) -> Run:
    """Make a run with these values and request its work. Raises Refused while another one in the lane is open.

    `send`: off, the caller calls `send_run` when its transaction is committed. A command does the work itself.
    """
    work = operation.work
    assert work is not None
    values = inputs.model_dump(mode="json") if inputs else {}
    user = caller.user if caller.user is not None and caller.user.pk else None
    run = Run(operation=operation.name, project=project, user=user, lane=work.lane, input=values)
    end_killed_commands(project)
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError as error:
        raise Refused("busy", work.busy) from error
    if send and not caller.runs_command:
        send_run(run)
    return run


def send_run(run: Run) -> None:
    """Ask the job runners to carry the run out. Its row must be committed: they look for it at once."""
    queue = work_of(run).queue
    of = "long work" if queue == "long" else run.lane.partition(" ")[0]
    request(JOBS[queue], run.pk, key=run.key, share=f"{of} of {run.project_id}")


def stop(run: Run, requested: str = Run.Request.CANCEL) -> None:
    """Pause or cancel the run. A process that does it reads this between two steps; other work stops at once."""
    mine = _rows(run)
    mine.filter(state__in=Run.OPEN).update(requested=requested)
    idle = [State.WAITING] if requested == Run.Request.PAUSE else [State.WAITING, State.PAUSED]
    if requested == Run.Request.CANCEL and work_of(run).resumable:
        idle.append(State.FAILED)
    if not _works(run):
        idle.append(State.RUNNING)  # its process has ended
    ended = {"state": ENDS[str(requested)], "requested": "", "ended_at": clock.now()}
    if mine.filter(state__in=idle).update(**ended):
        _clean(run, ENDS[str(requested)])
    run.refresh_from_db()


def resume(run: Run, user: User | None) -> None:
    """Go on with a run that was paused or failed, by this user's right; None: by the right of who began it.

    Steps that are done are skipped. Raises Refused while another run in the lane is open.
    """
    work = work_of(run)
    anew = {"user": user.pk if user else run.user_id, "state": State.WAITING, "requested": "", "problem": ""}
    try:
        with transaction.atomic():
            mine = _rows(run).filter(state__in=RESUMABLE if work.resumable else ())
            moved = mine.update(**anew, ended_at=None)
    except IntegrityError as error:
        raise Refused("busy", work.busy) from error
    if moved:
        send_run(run)
    run.refresh_from_db()


def rows_of(runs: Sequence[Run], *, results: bool = False) -> list[RunRow]:
    """Return where the runs stand; their jobs are read in one statement. Work that kept ending has failed."""
    jobs = {job.key: job for job in JobRun.objects.filter(key__in=[run.key for run in runs])}
    return [_row(run, jobs.get(run.key), results=results) for run in runs]


def row_of(run: Run) -> RunRow:
    """Return where the run stands, with its result."""
    return rows_of([run], results=True)[0]


def _row(run: Run, job: JobRun | None, *, results: bool) -> RunRow:
    _catch_up(run, job)
    work = work_of(run)
    names = ("id", "operation", "requested", "input", "done", "message", "problem", "seconds", "asked_at")
    return RunRow(
        **{name: getattr(run, name) for name in names},
        project=run.project.name,
        state=State(run.state),
        total=max(run.total, run.done),
        counts=work.counts(run),
        interrupted=run.state == State.RUNNING and not _works(run, job),
        resumable=work.resumable,
        result=(run.result or None) if results else None,
        words=list(work.say(run)) if results and run.state == State.DONE else [],
    )


def _catch_up(run: Run, job: JobRun | None) -> None:
    """Read the row anew. Work whose process ended too often has failed."""
    if not run.is_open or job is None:
        return
    if run.state == State.WAITING and job.state == JobRun.State.DONE:
        send_run(run)  # resumed in the moment in which the last part of it ended
    if job.state == JobRun.State.FAILED:
        failed = {"state": State.FAILED, "problem": job.problem, "ended_at": clock.now()}
        if _rows(run).filter(state__in=Run.OPEN).update(**failed):
            _clean(run, State.FAILED)
    run.refresh_from_db()


def _works(run: Run, job: JobRun | None = None) -> bool:
    """Tell whether a process does the work, as far as its signs of life say."""
    job = job or JobRun.objects.filter(key=run.key).first()
    if job is None or job.state != JobRun.State.RUNNING or job.held_until is None:
        return False
    return job.held_until > clock.now()


# --- What a process does ---


def check_right(run: Run, user: User | None) -> None:
    """Raise CannotBeDone if this account may not carry out the run now."""
    work = work_of(run)
    if user is None or not may(user, operation_of(run).action, run.project_id):
        then = "another requester can resume" if work.resumable else "begin it anew"
        raise CannotBeDone(f"Whoever began this is no longer a requester of the project: {then}.")
    work.check(run, user)


def claim_and_do(number: int) -> None:
    """Do the work of the run with this number, unless it is gone or another process does it."""
    run = Run.objects.filter(pk=number).select_related("project", "user").first()
    if run is not None:
        with claimed(run.key) as mine:
            if mine:
                do_run(run)


@background_job("projects.run")
def run_job(number: int) -> None:
    """Carry out a run that people wait for."""
    claim_and_do(number)


@background_job("projects.run_long")
def run_long_job(number: int) -> None:
    """Carry out a run that takes long."""
    claim_and_do(number)


JOBS = {"asked": run_job, "long": run_long_job}
"""The jobs that carry out runs, by the queue of the work."""


def do_run(run: Run) -> None:
    """Do the work, and write how it ended. Raises only what nobody foresaw."""
    with suppress(Stopped, CannotBeDone, StorageError):
        _do(run, Progress(run, lambda: check_right(run, User.objects.filter(pk=run.user_id or 0).first())))


def do_run_by_command(run: Run, show: Callable[[Progress], object]) -> None:
    """Do the work of a new run in the process of a command. Raises CannotBeDone, StorageError and Stopped, too."""
    with claimed(run.key):
        _do(run, Progress(run, None, show))


def _do(run: Run, progress: Progress) -> None:
    begun = {"state": State.RUNNING, "begun_at": clock.now(), "ended_at": None}
    if _rows(run).filter(state__in=Run.OPEN).update(**begun):
        with _end_written(progress):
            progress.check()  # a request that came before the work began
            result = work_of(run).do(run, progress)
            progress.write()
            _end(run, State.DONE, result=result.model_dump(mode="json"))


def end_killed_commands(project: Project) -> None:
    """Write of runs that a command began that they have failed, if the process has ended."""
    keys = JobRun.objects.filter(job="", key__startswith="projects.run ").values_list("key", flat=True)
    for run in Run.objects.filter(project=project, state=State.RUNNING):
        if run.key in keys:
            with claimed(run.key) as mine:
                if mine:
                    _end(run, State.FAILED, problem=KILLED)


@contextmanager
def _end_written(progress: Progress) -> Iterator[None]:
    """Write how the work in the block ended if an error ends it, which goes on."""
    run = progress.run
    try:
        yield
    except Stopped as stopped:
        progress.write()
        _end(run, ENDS[stopped.requested])
        raise
    except KeyboardInterrupt:
        progress.write()
        _end(run, State.CANCELLED)
        raise
    except (CannotBeDone, StorageError) as error:
        progress.write()
        _end(run, State.FAILED, problem=str(error))
        raise
    except DatabaseError:
        raise  # a lock that was waited for too long: the row's time runs out, and the tick begins it again
    except Exception as error:
        _end(run, State.FAILED, problem=f"{type(error).__name__}: {error}")
        raise


def _end(run: Run, state: str, *, problem: str = "", **values: Any) -> None:
    _rows(run).update(state=state, problem=problem[:2000], ended_at=clock.now(), requested="", **values)
    _clean(run, state)


def _clean(run: Run, state: str) -> None:
    if state in (State.CANCELLED, State.FAILED):
        work_of(run).clean(run)


def _rows(run: Run) -> Any:
    return Run.objects.filter(pk=run.pk)


MAX_LISTED_RUNS = 20
"""The newest runs that a list shows."""


class RunsOf(Input):
    operation: Annotated[str, MaxLen(40)] = ""
    """Only runs of this operation, such as begin_import; empty: all."""


class RunNumber(Input):
    run: int


class SteerRun(RunNumber):
    command: Literal["pause", "resume", "cancel"]


class RunRows(RootModel[list[RunRow]]):
    pass


@operation(name="runs", surveys=True, path="runs/", method="get")
def list_runs(project: Project, inputs: RunsOf, caller: Caller) -> RunRows:
    """List the newest runs of long work, the newest first, without their results."""
    runs = project.runs.filter(operation=inputs.operation) if inputs.operation else project.runs.all()
    return RunRows(rows_of(list(runs.defer("result").order_by("-id")[:MAX_LISTED_RUNS])))


@operation(name="run", surveys=True, path="runs/<int:run>/", method="get")
def read_run(project: Project, inputs: RunNumber, caller: Caller) -> RunRow:
    """Return how far long work is, and its result when it is done. Of images the result counts what there is so far."""
    return row_of(find_row(project.runs.all(), inputs.run, "run"))


@operation(
    surveys=True,
    path="runs/<int:run>/",
    refusals=(409,),
    command="run",
    say=lambda run: f"The work is {run.state}: {run.counts}.",
)
def steer_run(project: Project, inputs: SteerRun, caller: Caller) -> RunRow:
    """Pause, resume or cancel long work. A process that does it stops after the present step."""
    run = find_row(project.runs.all(), inputs.run, "run")
    if inputs.command != "cancel" and not work_of(run).resumable:
        raise Refused("not_possible", "This work cannot be paused: cancel it, and begin it anew.")
    if inputs.command == "resume":
        resume(run, caller.user)
    else:
        stop(run, Run.Request(inputs.command))
    return row_of(run)
