"""Draw images of a project that its reviewers annotate, so that known questions can be made of them."""

import random

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from annotation.models import Mention, Project
from projects.models import GoldImage

MOST_AT_ONCE = 100


class GoldError(Exception):
    """Something cannot be done with a sampled image; the message says why."""


@transaction.atomic
def sample_images(project: Project, *, count: int, annotators: int, seed: int | None = None) -> int:
    """Draw `count` images with phrases and pictures, and return how many there were. `annotators`: 1 or 2 people each.

    Images that have gold, or are in the sample, are not drawn. Raises GoldError.
    """
    if not 1 <= count <= MOST_AT_ONCE:
        raise GoldError(f"Draw 1 to {MOST_AT_ONCE} images at once, not {count}.")
    if annotators not in (1, 2):
        raise GoldError("An image is annotated by one person or by two.")
    Project.objects.select_for_update().get(pk=project.pk)  # so that two people do not draw the same images
    phrases = Exists(Mention.objects.filter(image=OuterRef("pk")))
    free = project.images.filter(phrases, gold=None, gold_image=None).exclude(picture="").order_by("position")
    ids = list(free.values_list("pk", flat=True))
    if not ids:
        raise GoldError("No image is left to annotate: import some with pictures and phrases first.")
    chosen = random.Random(seed).sample(ids, min(count, len(ids)))
    last = GoldImage.objects.filter(image__project=project).aggregate(last=Max("place"))["last"]
    first = 0 if last is None else last + 1
    GoldImage.objects.bulk_create(
        GoldImage(image_id=image, place=first + at, annotators=annotators) for at, image in enumerate(chosen)
    )
    return len(chosen)


@transaction.atomic
def leave_out(project: Project, image_id: int) -> None:
    """Take an image out of the sample, with what was annotated so far. Raises GoldError once its annotation counts."""
    row = GoldImage.objects.select_for_update(of=("self",)).filter(image=image_id, image__project=project).first()
    if row is None:
        raise GoldError("This image is not in the sample.")
    if row.image.known_questions.exists():
        raise GoldError("Known questions were made of this image: it stays. Retire single questions instead.")
    row.image.refresh_from_db()
    if hasattr(row.image, "gold"):
        row.image.gold.delete()
    row.delete()
