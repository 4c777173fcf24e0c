"""Operations on known questions: what there is and is missing, the sample of images, and annotations of its images."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, Len
from django.contrib.auth.models import User
from pydantic import Field

from accounts.may import Action
from annotation.models import Project
from annotation.rules.states import NonVisual
from projects.gold.gold_report import gold_report
from projects.gold.sheets import (
    MOST_AT_ONCE,
    GoldError,
    MovedOnError,
    leave_out,
    sample_images,
    save_annotation,
    store_finished_annotation,
)
from projects.gold.workbench import (
    AnnotationOfImage,
    AnnotationProgress,
    ChainOfAnnotation,
    gold_workbench_data,
    progress_of,
)
from projects.lifecycle.new_workers import missing_known_questions
from projects.models import GoldImage
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
from runtime.installed import COMMAND

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


class QuestionStockOfTask(Output):
    task: TaskName
    known: int
    """Verification questions."""
    tests: int
    images_needed: int | None
    """An estimate; null: more than it can tell."""
    assignments: int | None
    """Until a new worker has seen all; null: never."""


class QuestionStock(Output):
    least: int
    """Verification questions of each task that newcomers need."""
    recommended: int
    tasks: list[QuestionStockOfTask]
    missing: list[str]
    """Reasons why newcomers cannot begin, in sentences; empty: they can."""


@operation(surveys=False, path="gold/", method="get", action=Action.REVIEW)
def known_questions(project: Project, inputs: NoInput, caller: Caller) -> QuestionStock:
    """Return how many known questions each task has, and what is missing."""
    found = gold_report(project)
    tasks = [
        QuestionStockOfTask(
            task=row.task.value,
            known=row.verification,
            tests=row.tests,
            images_needed=row.least_images,
            assignments=row.each,
        )
        for row in found.tasks
    ]
    return QuestionStock(
        least=found.least, recommended=found.recommended, tasks=tasks, missing=missing_known_questions(project)
    )


@operation(
    surveys=False,
    path="gold/",
    action=Action.REVIEW,
    guide="../how-to/verification_questions.md#annotate-images",
    say=lambda stock: f"The annotation is taken. {' '.join(stock.missing)}".strip(),
)
def annotate_image(project: Project, inputs: AnnotatedImage, caller: Caller) -> QuestionStock:
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


@operation(
    surveys=False,
    path="gold/sample/<int:image>/",
    action=Action.REVIEW,
    refusals=(409,),
)
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
