"""Samples for the analysis of errors: draw finished images, and note what was found in one."""

import random
from typing import Any

from django.db import transaction

from annotation.models import Chain, Image, MergedBox, Project
from annotation.rules.states import ImageState
from campaign.models import ErrorSample
from campaign.review.errors import MOST_PER_IMAGE, NAMES

MOST_IMAGES = 1000


class SampleError(Exception):
    """A sample cannot be drawn, or a tally does not fit; the message says why."""


def draw_sample(project: Project, *, size: int, seed: int, made_by: str = "") -> ErrorSample:
    """Draw finished images without replacement. The same seed draws the same images while no other is finished."""
    if not 1 <= size <= MOST_IMAGES:
        raise SampleError(f"A sample has 1 to {MOST_IMAGES} images, not {size}.")
    finished = project.images.filter(state=ImageState.MERGED.value).order_by("position")
    ids = list(finished.values_list("id", flat=True))
    if not ids:
        raise SampleError("No image is finished yet: there is nothing to sample.")
    chosen = random.Random(seed).sample(ids, min(size, len(ids)))
    return ErrorSample.objects.create(project=project, seed=seed, images=chosen, made_by=made_by)


@transaction.atomic
def note_errors(sample_id: int, image: Image, errors: dict[str, Any]) -> ErrorSample:
    """Keep how many errors of each kind an image has. What was noted of it before is replaced."""
    sample = ErrorSample.objects.select_for_update().get(id=sample_id)
    if image.id not in sample.images:
        raise SampleError(f"{image.name} is not in this sample.")
    for name, count in errors.items():
        if name not in NAMES or type(count) is not int or not 0 <= count <= MOST_PER_IMAGE:
            raise SampleError(f"{count!r} errors of the kind {name!r}: a kind of the list has 0 to {MOST_PER_IMAGE}.")
    parts = {
        "mentions": image.mentions.count(),
        "chains": Chain.objects.filter(image=image, merged_into=None).count(),
        "boxes": MergedBox.objects.filter(image=image).count(),
    }
    sample.tallies[str(image.id)] = {"errors": {name: count for name, count in errors.items() if count}, **parts}
    sample.save(update_fields=["tallies"])
    return sample
