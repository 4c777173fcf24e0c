"""Jobs: find what is due and call a verb. Each is safe to run twice, late, or in two runners at once."""

from functools import partial

from celery import shared_task
from django.core.cache import cache
from django.db import OperationalError, transaction

from pipeline import tick as ticking
from pipeline.record.advance_questions import advance_questions
from pipeline.record.merge_images import merge_images
from pipeline.record.schedule_links import schedule_links
from pipeline.rules.tasks.task import Task

# Two that wait for one another's rows: the database stops one of them, which is begun again.
job = partial(shared_task, autoretry_for=(OperationalError,), max_retries=5, retry_backoff=True)
HINT_SECONDS = 20
"""A hint that got lost is given again after this, and the sweep finds what it meant in any case."""


@job(name="pipeline.schedule_links")
def schedule_links_job(project_id: int | None = None) -> None:
    """Open the first link questions of new images and the next ones of images whose links were answered."""
    cache.delete(_mark("links", project_id))
    schedule_links(project_id=project_id)


@job(name="pipeline.advance_questions")
def advance_questions_job(project_id: int | None = None) -> None:
    """Let the answers to the other five tasks act, and merge the images that are settled by them."""
    cache.delete(_mark("questions", project_id))
    if advance_questions(project_id=project_id).settled:
        merge_images(project_id=project_id)


@job(name="pipeline.merge_images")
def merge_images_job() -> None:
    """Merge the boxes and chains of images whose chains are all settled."""
    merge_images()


@job(name="pipeline.tick")
def tick_job() -> None:
    """Everything above and what time brings: the sweep that repairs whatever a hint missed."""
    ticking.tick()


def hint(task: Task, project_id: int) -> None:
    """Answers to this task are in: have them acted on soon. One job that has not begun yet is enough for many hints.

    Scores are left to the sweep: a hint only after verification questions would tell them by the time it takes.

    What fails here is logged and left to the sweep: the answers are stored.
    """
    transaction.on_commit(lambda: _hint(task is Task.COREFERENCE_LINK, project_id), robust=True)


def _hint(links: bool, project_id: int) -> None:
    if cache.add(_mark("links" if links else "questions", project_id), True, HINT_SECONDS):
        (schedule_links_job if links else advance_questions_job).delay(project_id)


def _mark(what: str, project_id: int | None) -> str:
    return f"hinted:{what}:{project_id}"
