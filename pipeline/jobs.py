"""Jobs: find what is due and call a verb. Each job may run twice, late, or in two runners at once."""

import time
from functools import partial

from celery import current_task, shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, transaction

from pipeline import tick as ticking
from pipeline.project.queries import chosen_projects
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import AFTER_LINKING, LINKS, apply_judgments
from pipeline.record.due_images import merge_images, start_images
from runtime.redis_faults import start
from runtime.runs import debounced, send_waiting

# When two jobs wait for each other's rows, the database stops one of them; that job starts again.
job = partial(shared_task, autoretry_for=(OperationalError,), max_retries=5, retry_backoff=True)
GATHER_SECONDS = 0.1
"""Time that a hinted job waits for further answers before it begins: one job then folds several submissions."""
ROUNDS = 20
"""Transactions of one job: while answers come faster than they are folded, the others get their turn, too."""
HINT_SECONDS = 20
"""Seconds after which a message may be sent again, in case the first was lost."""


@job(name="pipeline.schedule_links")
def schedule_links_job(project_id: int | None = None) -> None:
    """Open the first link questions of new images, and the next ones of images whose links were answered."""
    _gather()
    cache.delete(_mark("links", project_id))
    folded = apply_judgments(LINKS, project_id=project_id, rounds=ROUNDS)
    start_images(project_id=project_id)
    if folded.more and project_id is not None:
        _enqueue_tick(project_id, links=True)


@job(name="pipeline.advance_questions")
def advance_questions_job(project_id: int | None = None) -> None:
    """Fold the answers to the other five tasks, and merge the images that are settled by them."""
    _gather()
    cache.delete(_mark("questions", project_id))
    folded = apply_judgments(AFTER_LINKING, project_id=project_id, rounds=ROUNDS)
    if folded.settled:
        merge_images(project_id=project_id)
    if folded.more and project_id is not None:
        _enqueue_tick(project_id, links=False)


@job(name="pipeline.tick")
def tick_job() -> None:
    """Do everything that is due, whatever hints have missed."""
    with debounced("pipeline.tick", every=settings.TICK_SECONDS) as due:
        if due and ticking.tick(rounds=ROUNDS):
            for project in chosen_projects(None):
                _enqueue_tick(project, links=True)
                _enqueue_tick(project, links=False)


@job(name="pipeline.send_waiting")
def send_waiting_job() -> None:
    """Send what waits without a message. Apart from the tick, since jobs that run in place are done with this."""
    with debounced("pipeline.send_waiting", every=settings.TICK_SECONDS) as due:
        if due:
            send_waiting()


def enqueue_questions(task: Task, project_id: int) -> None:
    """Start a job that folds the answers to this task. While one job waits to start, further hints do nothing.

    Hints never bring scores up to date: only the tick does, so that no timing gives verification questions away.
    A message that fails is logged and left to the tick, since the answers are stored.
    """
    transaction.on_commit(lambda: _enqueue_tick(project_id, links=task is Task.COREFERENCE_LINK), robust=True)


def _enqueue_tick(project_id: int, *, links: bool) -> None:
    if cache.add(_mark("links" if links else "questions", project_id), True, HINT_SECONDS):
        start(schedule_links_job if links else advance_questions_job, project_id)


def _gather() -> None:
    """Wait for further answers, unless the job runs in place, where its caller would wait."""
    if current_task and not (current_task.request.is_eager or current_task.request.called_directly):
        time.sleep(GATHER_SECONDS)


def _mark(what: str, project_id: int | None) -> str:
    return f"hinted:{what}:{project_id}"
