"""Jobs: find what is due and call a verb. Each is safe to run twice, late, or in two runners at once."""

from celery import shared_task

from pipeline import tick as ticking
from pipeline.advance_questions import advance_questions
from pipeline.merge_images import merge_images
from pipeline.schedule_links import schedule_links


@shared_task(name="pipeline.schedule_links")
def schedule_links_job() -> None:
    """Open the first link questions of new images and the next ones of images whose links were answered."""
    schedule_links()


@shared_task(name="pipeline.advance_questions")
def advance_questions_job() -> None:
    """Let the answers to the other five tasks act."""
    advance_questions()


@shared_task(name="pipeline.merge_images")
def merge_images_job() -> None:
    """Merge the boxes and chains of images whose chains are all settled."""
    merge_images()


@shared_task(name="pipeline.tick")
def tick_job() -> None:
    """Everything above and what time brings: the sweep that repairs whatever a hint missed."""
    ticking.tick()
