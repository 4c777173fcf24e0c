"""Jobs: find what is due and call a verb. Each job may run twice, late, or in two runners at once."""

from functools import partial

from celery import shared_task
from django.core.cache import cache
from django.db import OperationalError, transaction

from pipeline import tick as ticking
from pipeline.record.fold_judgments import AFTER_LINKING, fold_judgments
from pipeline.record.merge_images import merge_images
from pipeline.record.schedule_links import schedule_links
from pipeline.rules.tasks.task import Task

# When two jobs wait for each other's rows, the database stops one of them; that job starts again.
job = partial(shared_task, autoretry_for=(OperationalError,), max_retries=5, retry_backoff=True)
HINT_SECONDS = 20
"""After so many seconds a hint may be given again, in case the first one was lost."""


@job(name="pipeline.schedule_links")
def schedule_links_job(project_id: int | None = None) -> None:
    """Open the first link questions of new images, and the next ones of images whose links were answered."""
    cache.delete(_mark("links", project_id))
    schedule_links(project_id=project_id)


@job(name="pipeline.advance_questions")
def advance_questions_job(project_id: int | None = None) -> None:
    """Fold the answers to the other five tasks, and merge the images that are settled by them."""
    cache.delete(_mark("questions", project_id))
    if fold_judgments(AFTER_LINKING, project_id=project_id).settled:
        merge_images(project_id=project_id)


@job(name="pipeline.merge_images")
def merge_images_job() -> None:
    """Merge the boxes and chains of images whose chains are all settled."""
    merge_images()


@job(name="pipeline.tick")
def tick_job() -> None:
    """Do everything that is due, whatever hints have missed."""
    ticking.tick()


def hint(task: Task, project_id: int) -> None:
    """Start a job that folds the answers to this task. While one job waits to start, further hints do nothing.

    Hints never bring scores up to date: only the sweep does, so that no timing gives verification questions away.
    A hint that fails is logged and left to the sweep, since the answers are stored.
    """
    transaction.on_commit(lambda: _hint(task is Task.COREFERENCE_LINK, project_id), robust=True)


def _hint(links: bool, project_id: int) -> None:
    if cache.add(_mark("links" if links else "questions", project_id), True, HINT_SECONDS):
        (schedule_links_job if links else advance_questions_job).delay(project_id)


def _mark(what: str, project_id: int | None) -> str:
    return f"hinted:{what}:{project_id}"
