"""Operations on known questions: what there is and is missing, the sample of images, and annotations of its images."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, Len
from django.contrib.auth.models import User
from django.urls import reverse
from pydantic import ConfigDict, Field

from accounts.may import Action
from annotation.models import Project
from annotation.rules.states import NonVisual
from pipeline.known.gold_annotation import DisputeSubject, compare
from pipeline.models import Progress
from pipeline.protocol.state.progress_json import from_json
from projects.gold.sheets import (
    MOST_AT_ONCE,
    GoldError,
    MovedOnError,
    annotation_of,
    gold_report,
    is_compared,
    leave_out,
    sample_images,
    save_annotation,
    store_finished_annotation,
    stored,
)
from projects.lifecycle.change_state import missing_known_questions
from projects.models import GoldAnnotation, GoldImage
from projects.operation import (
    Acknowledgement,
    Caller,
    Choice,
    Corners,
    Input,
    NoInput,
    Output,
    Refused,
    find_row,
    operation,
)
from projects.people.operations import TaskName
from projects.review.workbench import MentionOfImage, PictureOfImage, WordedCaption
from runtime.installed import COMMAND


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


def progress_of(row: GoldImage, annotation: GoldAnnotation, user: User) -> AnnotationProgress:
    """Return how far the sheet is, and where to go next."""
    return AnnotationProgress(
        revision=annotation.revision,
        is_settlement=annotation.settles,
        finished=annotation.finished_at is not None,
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


Annotators = Annotated[int, Ge(1), Le(2)]
Span = Annotated[list[int], Len(3, 3)]
REASONS = tuple(reason.value for reason in NonVisual)


class ChainByAnnotator(Input):
    phrases: list[Span]
    """Spans of words: number of the caption, first word, the word after the last; all from 0."""
    boxes: list[Corners] = Field(default_factory=list)
    non_visual: Annotated[str, Choice(("", *REASONS))] = ""
    """The reason for no box."""


class AnnotatedImage(Input):
    image: str
    """Its name."""
    chains: list[ChainByAnnotator]
    """Each phrase of the image is in one chain."""
    annotators: Annotators = 1
    """People who annotate it, if it joins the sample now."""


class DrawnImages(Input):
    count: Annotated[int, Ge(1), Le(MOST_AT_ONCE)]
    annotators: Annotators = 1
    """People who annotate each image."""


class SampledImage(Input):
    image: int
    """The id of an image."""


class SavedAnnotation(SampledImage):
    chains: list[ChainOfAnnotation]
    """Each phrase of the image is in one chain."""
    revision: int
    """That of the sheet as it was read."""
    finish: bool = False
    """Known questions are made of the sheet."""


class KnownQuestionCountsOfTask(Output):
    task: TaskName
    known: int
    """Verification questions."""
    tests: int
    images_needed: int | None
    """An estimate; null: more than it can tell."""
    assignments: int | None
    """Until a new worker has seen all; null: never."""


class KnownQuestionCounts(Output):
    least: int
    """Verification questions of each task that newcomers need."""
    recommended: int
    tasks: list[KnownQuestionCountsOfTask]
    missing: list[str]
    """Reasons why newcomers cannot begin, in sentences; empty: they can."""


@operation(surveys=False, path="gold/", method="get", action=Action.REVIEW)
def known_questions(project: Project, inputs: NoInput, caller: Caller) -> KnownQuestionCounts:
    """Return how many known questions each task has, and what is missing."""
    found = gold_report(project)
    tasks = [
        KnownQuestionCountsOfTask(
            task=row.task.value,
            known=row.verification,
            tests=row.tests,
            images_needed=row.least_images,
            assignments=row.each,
        )
        for row in found.tasks
    ]
    return KnownQuestionCounts(
        least=found.least, recommended=found.recommended, tasks=tasks, missing=missing_known_questions(project)
    )


@operation(
    surveys=False,
    path="gold/",
    action=Action.REVIEW,
    guide="../how-to/verification_questions.md#annotate-images",
    say=lambda stock: f"The annotation is taken. {' '.join(stock.missing)}".strip(),
)
def annotate_image(project: Project, inputs: AnnotatedImage, caller: Caller) -> KnownQuestionCounts:
    """Give your annotation of one image; known questions are made of it."""
    try:
        store_finished_annotation(
            project, inputs.model_dump(exclude_unset=True), _author(caller), annotators=inputs.annotators
        )
    except GoldError as error:
        raise Refused("invalid", str(error), 400) from error
    return known_questions(project, NoInput(), caller)


@operation(surveys=False, path="gold/sample/", refusals=(409,))
def draw_images(project: Project, inputs: DrawnImages, caller: Caller) -> Acknowledgement:
    """Draw images to annotate, of which known questions are made."""
    try:
        drawn = sample_images(project, count=inputs.count, annotators=inputs.annotators)
    except GoldError as error:
        raise Refused("not_possible", str(error)) from error
    return Acknowledgement(sentence=f"{drawn} image{'' if drawn == 1 else 's'} drawn.")


@operation(surveys=False, path="gold/sample/<int:image>/", method="delete", refusals=(409,))
def remove_from_sample(project: Project, inputs: SampledImage, caller: Caller) -> Acknowledgement:
    """Take an image out of the sample."""
    try:
        leave_out(project, inputs.image)
    except GoldError as error:
        raise Refused("not_possible", str(error)) from error
    return Acknowledgement(sentence="The image is no longer in the sample.")


def _author(caller: Caller) -> User:
    if caller.user is None:
        raise Refused("invalid", f"An annotation has an author: {COMMAND} gold --by USER takes it from a file.", 400)
    return caller.user


def _sampled(project: Project, image: int) -> GoldImage:
    rows = GoldImage.objects.select_related("image__project").prefetch_related("annotations")
    return find_row(rows.filter(image__project=project), image, "image of the sample")


@operation(name="gold_annotation", surveys=False, path="gold/sample/<int:image>/", method="get", action=Action.REVIEW)
def read_gold_annotation(project: Project, inputs: SampledImage, caller: Caller) -> AnnotationOfImage:
    """Return your annotation of an image, or the one that settles it, with the picture and the captions."""
    try:
        return gold_workbench_data(_sampled(project, inputs.image), _author(caller))
    except GoldError as error:
        raise Refused("invalid", str(error), 400) from error


@operation(surveys=False, path="gold/sample/<int:image>/", action=Action.REVIEW, refusals=(409,))
def save_gold_annotation(project: Project, inputs: SavedAnnotation, caller: Caller) -> AnnotationProgress:
    """Save your annotation of an image, or the one that settles it."""
    user, image = _author(caller), _sampled(project, inputs.image).pk
    given = inputs.model_dump(include={"chains", "revision", "finish"})
    try:
        sheet = save_annotation(project, image, user, **given)
    except MovedOnError as error:
        raise Refused("moved_on", str(error)) from error
    except GoldError as error:
        raise Refused("invalid", str(error), 400) from error
    return progress_of(_sampled(project, image), sheet, user)
