"""Take an annotation that was made elsewhere, from a file or a program, as one person's sheet of an image."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.models import Gold, Image, Project
from campaign.gold.sample_images import GoldError
from campaign.gold.sheets import save_sheet, sheet_of
from campaign.models import GoldAnnotation, GoldImage
from pipeline.models import Progress
from pipeline.rules.progress.progress_json import from_json

FORM = '{"image": name, "chains": [{"phrases": [[caption, from word, to word], ...], "boxes": [...]}, ...]}'


@transaction.atomic
def take_sheet(project: Project, given: Any, user: User, *, annotators: int = 1) -> GoldAnnotation:
    """Save the annotation of one image as finished, and return it. The image joins the sample if need be.

    `given`: the image's name and its chains, each with `phrases` as spans of words and with `boxes`, or with
    `non_visual`: "scene" or "no box". `annotators`: people who annotate an image that joins the sample now.
    Raises GoldError.
    """
    if not isinstance(given, dict) or not isinstance(given.get("image"), str):
        raise GoldError(f"An annotation looks like this: {FORM}.")
    name = given["image"]
    image = project.images.filter(name=name).first() if name.isprintable() else None
    if image is None:
        raise GoldError(f"There is no image {name[:80]!r} in this project.")
    row = _in_sample(image, annotators)
    chains = _numbered(image, given.get("chains"))
    revision = sheet_of(row, user).revision
    return save_sheet(project, image.pk, user, chains=chains, revision=revision, finish=True)


def _in_sample(image: Image, annotators: int) -> GoldImage:
    row = GoldImage.objects.filter(image=image).first()
    if row is not None:
        return row
    if annotators not in (1, 2):
        raise GoldError("An image is annotated by one person or by two.")
    if Gold.objects.filter(image=image).exists():
        raise GoldError(f"{image.name} came with its right answers: questions can be made of them already.")
    last = GoldImage.objects.filter(image__project=image.project_id).aggregate(last=Max("place"))["last"]
    return GoldImage.objects.create(image=image, place=0 if last is None else last + 1, annotators=annotators)


def _numbered(image: Image, chains: Any) -> list[dict[str, Any]]:
    """Replace the spans of phrases by the numbers of the image's mentions."""
    mentions = from_json(Progress.objects.get(image=image).state).mentions.values()
    numbers = {(one.caption, one.start, one.end): one.number for one in mentions}
    if not isinstance(chains, list) or not all(isinstance(one, dict) for one in chains):
        raise GoldError(f"The chains look like this: {FORM}.")
    found = []
    for chain in chains:
        spans = chain.get("phrases")
        if not isinstance(spans, list) or not all(isinstance(one, list) and len(one) == 3 for one in spans):
            raise GoldError("The phrases of a chain are a list of [caption, first word, word after the last].")
        missing = [span for span in spans if _span(span) not in numbers]
        if missing:
            raise GoldError(f"{image.name} has no phrase at {missing[0]}.")
        own = [numbers[_span(span)] for span in spans]
        found.append({"mentions": own, **{key: chain[key] for key in ("boxes", "non_visual") if key in chain}})
    return found


def _span(span: list[Any]) -> tuple[int, int, int]:
    caption, start, end = (one if type(one) is int else -1 for one in span)
    return caption, start, end
