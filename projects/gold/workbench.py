"""The data of the page on which one image is annotated: the picture, the captions, and one person's sheet."""

from __future__ import annotations

from typing import Annotated

from django.contrib.auth.models import User
from django.urls import reverse
from pydantic import ConfigDict, Field

from annotation.rules.states import NonVisual
from pipeline.known.gold_annotation import DisputeSubject, compare
from pipeline.models import Progress
from pipeline.protocol.state.progress_json import from_json
from projects.gold.sheets import annotation_of, is_compared, stored
from projects.models import GoldAnnotation, GoldImage
from projects.operation import Choice, Corners, Input, Output
from projects.review.workbench import MentionOfImage, PictureOfImage, WordedCaption


class ChainOfAnnotation(Input):
    model_config = ConfigDict(from_attributes=True)

    mentions: list[int]
    """Numbers of mentions, in reading order."""
    non_visual: Annotated[str, Choice(("", *NonVisual))] = ""
    """The reason for no box; empty: it has boxes, or is not decided yet."""
    boxes: list[Corners] = Field(default=[])


class SideOfDispute(Output):
    name: str
    """Of an annotator."""
    chains: list[ChainOfAnnotation]


class DisputeOfAnnotators(Output):
    about: DisputeSubject
    mentions: list[int]
    sides: list[SideOfDispute]


class AnnotationProgress(Output):
    """The progress of a sheet, and the image after it."""

    revision: int
    is_settlement: bool
    """It settles what two annotators disagree on."""
    finished: bool
    next: str | None
    """The address of the next image that waits for the user; null: none does."""


class AnnotationOfImage(AnnotationProgress):
    image: PictureOfImage
    captions: list[WordedCaption]
    mentions: list[MentionOfImage]
    chains: list[ChainOfAnnotation]
    disputes: list[DisputeOfAnnotators]


def gold_workbench_data(row: GoldImage, user: User) -> AnnotationOfImage:
    """Return the data of the page. The other person's sheet is told only after both have finished.

    Raises GoldError if the user may not annotate this image.
    """
    sheet = annotation_of(row, user)
    progress = from_json(Progress.objects.get(image=row.image_id).state)
    return AnnotationOfImage(
        image=PictureOfImage.of(row.image),
        captions=WordedCaption.of(row.image),
        mentions=MentionOfImage.of(progress),
        chains=[ChainOfAnnotation.model_validate(chain) for chain in sheet.chains],
        disputes=_disputes(row) if sheet.settles else [],
        **progress_of(row, sheet, user).model_dump(),
    )


def progress_of(row: GoldImage, sheet: GoldAnnotation, user: User) -> AnnotationProgress:
    """Return how far the sheet is, and where to go next."""
    return AnnotationProgress(
        revision=sheet.revision,
        is_settlement=sheet.settles,
        finished=sheet.finished_at is not None,
        next=next_image(row, user),
    )


def _disputes(row: GoldImage) -> list[DisputeOfAnnotators]:
    """Return what the two annotators disagree on, with their names and what each of them has."""
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    return [
        DisputeOfAnnotators(
            about=dispute.about,
            mentions=list(dispute.mentions),
            sides=[
                SideOfDispute(name=sheet.name, chains=[ChainOfAnnotation.model_validate(chain) for chain in chains])
                for sheet, chains in zip(own, (dispute.first, dispute.second), strict=True)
            ],
        )
        for dispute in compare(*(stored(sheet) for sheet in own)).disputes
    ]


def next_image(row: GoldImage, user: User) -> str | None:
    """Return the address of the next image of the sample that waits for the user; None: none does."""
    rows = list(GoldImage.objects.filter(image__project=row.image.project_id).prefetch_related("annotations"))
    after = [other for other in rows if other.place > row.place] + [other for other in rows if other.place < row.place]
    found = next((other for other in after if waits_for(other, user)), None)
    return reverse("projects:gold_image", args=[row.image.project.name, found.image_id]) if found else None


def waits_for(row: GoldImage, user: User) -> bool:
    """Tell whether the user can do something for the image. `row` has its annotations."""
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    mine = next((annotation for annotation in own if annotation.user_id == user.pk), None)
    if is_compared(row):
        return row.settled_at is None and mine is not None
    return mine.finished_at is None if mine else len(own) < row.annotators
