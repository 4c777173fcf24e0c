"""Refits that are due [beyond paper 3.1.1, 3.2]: when a project learns anew, and from which of its images.

A refit is due when twice as many images are finished as at the last one, in a running project whose settings want it.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random

from django.db.models import Max, QuerySet

from annotation.models import Image, Project
from annotation.rules.states import ProjectState
from belief.boxes.box_prior import BoxPrior
from belief.links.link_prior import LinkPrior
from pipeline.learning.known_labels import read_progress
from pipeline.models import Entry
from pipeline.protocol.state.progress import ImageProgress
from pipeline.settings.settings import Settings

MODELS_EVERY = 25
"""Finished images between two refits while programs judge, unless fewer have doubled, or a twentieth is more."""
FIRST_REFIT_WITH_MODELS = 3
"""Finished images before the first refit where programs judge: until then people answer everything."""
FIRST_REFIT = 15
"""Finished images before the first refit: about 30 groups with answers, or 100 chains."""
MOST_IMAGES = 1000
"""A refit reads this many images at most."""


def may_be_due(finished: QuerySet[Image], project_id: int, target: int) -> bool:
    """Tell whether it is worth while to count those of the finished images that were asked about."""
    running = Project.objects.filter(id=project_id, state=ProjectState.RUNNING.value)
    return running.exists() and finished.count() >= target


def images_before_refit(before: LinkPrior | BoxPrior, settings: Settings) -> int:
    """Return how many finished images the next refit waits for: twice as many as the last one had.

    Sooner where model annotators are at work, who may change.
    """
    last = before.refitted_on
    if settings.model_annotators:
        return last + min(max(FIRST_REFIT_WITH_MODELS, last), max(MODELS_EVERY, last // 20))
    return max(FIRST_REFIT, 2 * last)


def read_for_refit(project_id: int, images: list[int], settings: Settings) -> Iterator[ImageProgress]:
    """Yield the progress of MOST_IMAGES of these images at most, in their order.

    Where model annotators are at work, who may change, these are the newest, in the order of their last entries.
    """
    if settings.model_annotators:
        chosen = _newest(project_id, set(images))
    else:
        drawn = Random(f"{project_id} {len(images)}").sample(images, min(MOST_IMAGES, len(images)))
        chosen = sorted(drawn)
    yield from (progress for _, progress in read_progress(chosen))


def _newest(project_id: int, images: set[int]) -> list[int]:
    last = Entry.objects.filter(project_id=project_id).order_by().values("image").annotate(last=Max("id"))
    newest = (image for image in last.order_by("-last").values_list("image", flat=True) if image in images)
    return list(islice(newest, MOST_IMAGES))[::-1]
