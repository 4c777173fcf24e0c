"""The data of the page on which one image is annotated: the picture, the captions, and one person's sheet."""

from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from pipeline.known.gold_annotation import compare
from pipeline.models import Progress
from pipeline.protocol.state.progress_json import from_json
from projects.gold.sheets import is_compared, sheet_of, stored
from projects.models import GoldAnnotation, GoldImage
from projects.review.bench import picture


def gold_bench(row: GoldImage, user: User) -> dict[str, Any]:
    """Return the data of the page. The other person's sheet is told only after both have finished.

    Raises GoldError if the user may not annotate this image.
    """
    sheet = sheet_of(row, user)
    mentions = sorted(
        from_json(Progress.objects.get(image=row.image_id).state).mentions.values(), key=lambda one: one.order
    )
    return {
        "image": picture(row.image),
        "captions": [
            {"number": caption.number, "text": caption.text, "words": caption.words, "offsets": caption.offsets}
            for caption in row.image.captions.order_by("number")
        ],
        "mentions": [
            {
                "number": mention.number,
                "caption": mention.caption,
                "start": mention.start,
                "end": mention.end,
                "types": mention.types,
                "text": mention.text,
            }
            for mention in mentions
        ],
        "chains": sheet.chains,
        "disputes": _disputes(row) if sheet.settles else [],
        **standing(row, sheet, user),
    }


def standing(row: GoldImage, sheet: GoldAnnotation, user: User) -> dict[str, Any]:
    """Return how far the sheet is, and where to go next."""
    return {
        "revision": sheet.revision,
        "settles": sheet.settles,
        "finished": sheet.finished_at is not None,
        "next": next_image(row, user),
    }


def _disputes(row: GoldImage) -> list[dict[str, Any]]:
    """Return what the two annotators disagree on, with their names and what each of them has."""
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    return [
        {
            "about": dispute.about.value,
            "mentions": list(dispute.mentions),
            "sides": [
                {"name": sheet.name, "chains": [chain.to_json() for chain in chains]}
                for sheet, chains in zip(own, (dispute.first, dispute.second), strict=True)
            ],
        }
        for dispute in compare(*(stored(sheet) for sheet in own)).disputes
    ]


def next_image(row: GoldImage, user: User) -> str | None:
    """Return the address of the next image of the sample that waits for the user; None: none does."""
    rows = list(GoldImage.objects.filter(image__project=row.image.project_id).prefetch_related("annotations"))
    after = [one for one in rows if one.place > row.place] + [one for one in rows if one.place < row.place]
    found = next((one for one in after if waits_for(one, user)), None)
    return reverse("projects:gold_image", args=[row.image.project.name, found.image_id]) if found else None


def waits_for(row: GoldImage, user: User) -> bool:
    """Tell whether the user can do something for the image. `row` has its annotations."""
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    mine = next((one for one in own if one.user_id == user.pk), None)
    if is_compared(row):
        return row.settled_at is None and mine is not None
    return mine.finished_at is None if mine else len(own) < row.annotators
