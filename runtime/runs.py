"""Work for the job runners, as rows that outlive messages, processes and Redis.

A process that works moves the row's time on every few seconds. So a row never says for longer than 15 seconds that
work is done which a crash has ended, and on the machine of the crash not at all.
"""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

from celery import Task, current_app, current_task
from django.db import DatabaseError, connections
from django.db.models import F, Q, QuerySet

from runtime import clock
from runtime.models import JobRun
from runtime.redis_faults import start

logger = logging.getLogger(__name__)
HELD = timedelta(seconds=15)
"""The time after which a process that says nothing counts as dead."""
ALIVE_SECONDS = 3
"""The time between two signs of life."""
SENT_AGAIN = timedelta(seconds=60)
"""A message that no job runner took for so long is sent again: Redis may have lost it."""
TRIES = 3
"""The processes that may end during a work before it has failed."""
ENDED = "Each process that tried ended before the work was done. The log of the job runners may tell why."
State = JobRun.State


def request(job: Task, *arguments: Any, key: str, share: str = "") -> JobRun:
    """Request work, unless it waits or is being done. Returns its row: `sent_at` is empty while Redis takes no message.

    Work that failed, or whose process ended, begins anew. Jobs that run in place are done on return. `share`: of work
    with the same one, a piece is done at a time (`_in_turn`).
    """
    now = clock.now()
    work = {"job": job.name, "arguments": list(arguments), "share": share}
    run, made = JobRun.objects.get_or_create(key=key, defaults=work)
    if not made:
        _same(run).exclude(**work).update(**work)
        anew = {"state": State.WAITING, "asked_at": now, "sent_at": None, "problem": "", "tries": 0}
        _same(run).filter(state__in=(State.FAILED, State.DONE)).update(**anew)
        _let_go(run, now)
    run.refresh_from_db()
    if made or _unsent(now).filter(pk=run.pk).exists():
        if share:
            _send_in_turn(now)
        else:
            _send(run)
        run.refresh_from_db()
    return run


def send_waiting() -> None:
    """Send messages for work that waits without one, or whose process ended. Part of the tick."""
    now = clock.now()
    for run in JobRun.objects.filter(state=State.RUNNING).exclude(job=""):
        _let_go(run, now)
    for run in _unsent(now).exclude(job="").filter(share="").order_by("id"):
        if not _send(run):
            break  # the rest waits, too
    _send_in_turn(now)


@contextmanager
def claimed(key: str) -> Iterator[bool]:
    """Hold the work while the block runs. Yields False if another process holds it.

    The row says afterwards that the work is done, or why it failed. Its time is moved on by a thread meanwhile.
    """
    JobRun.objects.get_or_create(key=key, defaults={"job": ""})
    holder = f"{_this_process()} {token_hex(4)}"
    if not _claim(key, holder):
        logger.info("%s: another process does this", key)
        yield False
        return
    over = threading.Event()
    threading.Thread(target=_stay_alive, args=(key, holder, over), name="sign of life", daemon=True).start()
    try:
        yield True
    except BaseException as error:
        over.set()
        _finish(key, holder, State.FAILED, f"{type(error).__name__}: {error}")
        raise
    over.set()
    _finish(key, holder, State.DONE, "")


def _send_in_turn(now: datetime) -> None:
    """Send messages for the work that is next: the oldest piece of each share of which nothing is sent or done yet.

    So a project with many pieces of long work has one in the queue, and others stand right behind that.
    """
    shared = JobRun.objects.exclude(share="").filter(state__in=(State.WAITING, State.RUNNING))
    unsent = _unsent(now).exclude(share="").order_by("asked_at", "id")
    busy = set(shared.exclude(pk__in=unsent.values("pk")).values_list("share", flat=True))
    for run in unsent:
        if run.share not in busy:
            busy.add(run.share)
            if not _send(run):
                break


def _claim(key: str, holder: str) -> bool:
    now = clock.now()
    for run in JobRun.objects.filter(key=key, state=State.RUNNING):
        _let_go(run, now, most=None)
    free = JobRun.objects.filter(key=key).exclude(state=State.RUNNING)
    begun = {"state": State.RUNNING, "holder": holder, "held_until": now + HELD, "problem": ""}
    return free.update(**begun, tries=F("tries") + 1) == 1


def _let_go(run: JobRun, now: datetime, most: int | None = TRIES) -> None:
    """Let the row wait again if its process has ended. After `most` tries it has failed."""
    ended = run.state == State.RUNNING and (_is_past(run.held_until, now) or _has_ended(run.holder))
    if not ended:
        return
    logger.warning("%s: the process that did this has ended", run.key)
    # The holder is compared: another process may have begun meanwhile.
    mine = _same(run).filter(state=State.RUNNING, holder=run.holder)
    if most is not None and run.tries >= most:
        mine.update(state=State.FAILED, problem=ENDED, finished_at=now)
    else:
        mine.update(state=State.WAITING, sent_at=None)


def _is_past(moment: datetime | None, now: datetime) -> bool:
    # A time that lies further ahead than it was ever set comes from before a jump of the clock.
    return moment is None or not now < moment <= now + 2 * HELD


def _unsent(now: datetime) -> QuerySet[JobRun]:
    unsent = Q(sent_at=None) | Q(sent_at__lt=now - SENT_AGAIN) | Q(sent_at__gt=now + SENT_AGAIN)
    return JobRun.objects.filter(unsent, state=State.WAITING)


def _send(run: JobRun) -> bool:
    # Noted first: a job that runs in place, or at once, has changed the row when this returns.
    if not _unsent(clock.now()).filter(pk=run.pk).update(sent_at=clock.now()):
        return True  # another process has sent it
    if run.job not in current_app.tasks:
        current_app.loader.import_default_modules()
    sent = start(current_app.tasks[run.job], *run.arguments)
    if not sent:
        _same(run).filter(state=State.WAITING).update(sent_at=None)
    return sent


def _same(run: JobRun) -> QuerySet[JobRun]:
    return JobRun.objects.filter(pk=run.pk)


def _stay_alive(key: str, holder: str, over: threading.Event) -> None:
    try:
        while not over.wait(ALIVE_SECONDS):
            try:
                mine = JobRun.objects.filter(key=key, holder=holder, state=State.RUNNING)
                mine.update(held_until=clock.now() + HELD)
            except DatabaseError as error:
                logger.warning("%s: the database did not take a sign of life: %s", key, error)
                connections.close_all()
    finally:
        connections.close_all()


def _finish(key: str, holder: str, state: JobRun.State, problem: str) -> None:
    try:
        mine = JobRun.objects.filter(key=key, holder=holder, state=State.RUNNING)
        mine.update(state=state, problem=problem[:2000], finished_at=clock.now(), tries=0)
        if JobRun.objects.filter(key=key).exclude(share="").exists():
            _send_in_turn(clock.now())
    except DatabaseError as error:  # the row's time runs out instead
        logger.warning("%s: the database did not take the end of this work: %s", key, error)


@cache
def this_machine() -> str:
    """Return a name of this machine and its process numbers. A container has numbers of its own, a copy of a machine
    the same name but another start."""
    parts = [socket.gethostname(), "", ""]
    with suppress(OSError):
        parts[1] = os.readlink("/proc/self/ns/pid")
        parts[2] = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return " ".join(parts)


def _this_process() -> str:
    return f"{this_machine()} {os.getpid()}"


def _has_ended(holder: str) -> bool:
    """Return whether the process ran on this machine and is gone. Of other machines only the row's time tells."""
    machine, _, rest = holder.rpartition(" ")[0].rpartition(" ")
    if machine != this_machine() or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


logger = logging.getLogger(__name__)
MOMENT = timedelta(seconds=5)
"""A job of the schedule does nothing if another of its kind finished less than so long ago."""
LATE = 4
"""The intervals after which a job that did not finish is logged as late."""


@contextmanager
def debounced(job: str, *, every: float) -> Iterator[bool]:
    """Yield whether this job of the schedule has anything to do, and note when it finished.

    `every`: seconds between two of them. All times are the database's, so no clock of a job runner matters. A job that
    is called as a function was in no pile, and always has something to do.
    """
    begun = clock.now()
    from_a_pile = current_task and not current_task.request.called_directly
    last = JobRun.objects.filter(key=job).values_list("finished_at", flat=True).first()
    since = None if last is None else begun - last
    if from_a_pile and since is not None and timedelta() <= since < MOMENT:
        logger.info("%s: left out, because another one finished %.1f seconds ago", job, since.total_seconds())
        yield False
        return
    if since is not None and since > timedelta(seconds=LATE * every):
        logger.warning("%s: the last one finished %.0f seconds ago", job, since.total_seconds())
    yield True
    finished = note_finished(job)
    logger.info("%s: done in %.1f seconds", job, (finished - begun).total_seconds())


def note_finished(job: str) -> datetime:
    """Note that a job of the schedule has just finished, and return when."""
    finished = clock.now()
    JobRun.objects.update_or_create(
        key=job, defaults={"job": job, "state": JobRun.State.DONE, "finished_at": finished, "held_until": None}
    )
    return finished


def seconds_since(job: str) -> float | None:
    """Return the seconds since a job of the schedule last finished, or None if it never did."""
    last = JobRun.objects.filter(key=job).values_list("finished_at", flat=True).first()
    return None if last is None else max((clock.now() - last).total_seconds(), 0.0)
