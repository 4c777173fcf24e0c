"""Operations that read a project row by row: images with phrases, judgments, and the ledger, with pseudonyms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import Scope
from annotation.models import Caption, Image, Mention, Project
from annotation.rules.states import ImageState
from exchange.jsonl.write import pseudonym
from labelling.api.payload import image_shown
from pipeline.models import Judgment, LedgerEntry
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.operation import Caller, Choice, Output, RowsAfter, operation


class PhraseInCaption(Output):
    caption: int
    """From 0."""
    words: list[int]
    """[first word, end) in the caption."""
    text: str
    types: list[str]


class ImageWithPhrases(Output):
    name: str
    state: ImageState
    url: str
    """Of the picture, at most 1600 pixels long; valid for a week at least."""
    full_url: str
    """Of the picture in full size."""
    width: int
    """Of the upright image, in pixels."""
    height: int
    language: str
    """Of the captions, as a BCP 47 tag; empty: unknown."""
    captions: list[str]
    phrases: list[PhraseInCaption]


class ImagesWithPhrases(Output):
    images: list[ImageWithPhrases]
    after: int | None
    """Ask for the next images with it; null: no more."""


class JudgmentShown(Output):
    id: int
    image: str
    """Name of the image."""
    task: Task
    question: int
    phrases: list[str]
    """The phrases that the question shows."""
    answer: Any
    worker: str
    """A pseudonym, the same in the project's exports."""
    seconds: float | None
    comment: str
    created_at: datetime


class JudgmentsShown(Output):
    judgments: list[JudgmentShown]
    after: int | None
    """Ask for the next rows with it; null: no more."""


class LedgerRow(Output):
    id: int
    worker: str
    """A pseudonym, the same in the project's exports."""
    kind: Annotated[str, Choice(LedgerEntry.Kind.values)]
    cents: int
    reason: str
    reference: str
    created_at: datetime


class LedgerRows(Output):
    currency: str
    entries: list[LedgerRow]
    after: int | None
    """Ask for the next rows with it; null: no more."""


@operation(name="phrases", surveys=False, path="phrases/", method="get")
def read_phrases(project: Project, inputs: RowsAfter, caller: Caller) -> ImagesWithPhrases:
    """Return images with their captions and phrases, in import order, from the position `after` on."""
    rows = list(project.images.filter(position__gte=inputs.after).order_by("position")[: inputs.most])
    captions, phrases = _captions(rows), _phrases(rows)
    language = current_settings(project.pk)[1].caption_language
    images = [
        ImageWithPhrases(
            name=row.name,
            state=ImageState(row.state),
            **image_shown(row),
            language=language,
            captions=captions[row.pk],
            phrases=phrases[row.pk],
        )
        for row in rows
    ]
    return ImagesWithPhrases(images=images, after=rows[-1].position + 1 if len(rows) == inputs.most else None)


def _captions(images: Collection[Image]) -> dict[int, list[str]]:
    captions: defaultdict[int, list[str]] = defaultdict(list)
    rows = Caption.objects.filter(image__in=images).order_by("image_id", "number")
    for image, text in rows.values_list("image_id", "text"):
        captions[image].append(text)
    return captions


def _phrases(images: Collection[Image]) -> dict[int, list[PhraseInCaption]]:
    phrases: defaultdict[int, list[PhraseInCaption]] = defaultdict(list)
    rows = Mention.objects.filter(image__in=images).order_by("image_id", "caption__number", "start")
    for image, caption, start, end, text, types in rows.values_list(
        "image_id", "caption__number", "start", "end", "text", "types"
    ):
        phrases[image].append(PhraseInCaption(caption=caption, words=[start, end], text=text, types=types))
    return phrases


@operation(
    name="judgments",
    surveys=True,
    path="judgments/",
    method="get",
    action=Action.READ_RECORD,
    needed_scope=Scope.JUDGMENTS,
)
def read_judgments(project: Project, inputs: RowsAfter, caller: Caller) -> JudgmentsShown:
    """Return judgments of real questions, oldest first, after the one with the id `after`."""
    record(Kind.EXPORT, f"judgments of {project.name}")
    page, after = inputs.read(Judgment.objects.filter(question__project=project).select_related("question__image"))
    texts = _texts_of_mentions(page)
    judgments = [
        JudgmentShown(
            id=row.pk,
            image=row.question.image.name,
            task=Task(row.question.task),
            question=row.question.number,
            phrases=[texts[row.question.image_id, mention[0]] for mention in row.question.shown["mentions"]],
            answer=row.answer,
            worker=pseudonym(project.pk, row.worker_id),
            seconds=row.seconds,
            comment=row.comment,
            created_at=row.created_at,
        )
        for row in page
        if row.question is not None
    ]
    return JudgmentsShown(judgments=judgments, after=after)


def _texts_of_mentions(judgments: Collection[Judgment]) -> dict[tuple[int, int], str]:
    """Return the words of the mentions of these judgments' images, by image and number."""
    images = {row.question.image_id for row in judgments if row.question is not None}
    rows = Mention.objects.filter(image_id__in=images).values_list("image_id", "number", "text")
    return {(image, number): text for image, number, text in rows}


@operation(name="ledger", surveys=True, path="ledger/", method="get", needed_scope=Scope.LEDGER, archived=True)
def read_ledger(project: Project, inputs: RowsAfter, caller: Caller) -> LedgerRows:
    """Return entries of the ledger, oldest first, after the one with the id `after`."""
    record(Kind.EXPORT, f"ledger of {project.name}")
    page, after = inputs.read(LedgerEntry.objects.filter(project=project))
    names = ("kind", "cents", "reason", "reference", "created_at")
    entries = [
        LedgerRow(
            id=row.pk, worker=pseudonym(project.pk, row.worker_id), **{name: getattr(row, name) for name in names}
        )
        for row in page
    ]
    return LedgerRows(currency=current_settings(project.pk)[1].currency, entries=entries, after=after)
