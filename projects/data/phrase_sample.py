"""Operations on the words of a draft: a sample of phrases as the word lists have them, and another type for a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Annotated

from annotated_types import Ge, Le, Len, MinLen
from django.urls import reverse

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.dictionaries import deciding_place
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ProjectState
from exchange.load_project import left_over
from pipeline.models import Progress
from projects.data.mend_phrases import live_mends
from projects.data.phrase_types import PhraseTypes
from projects.data.retype_word import CHOICES, RetypeError, retype_word
from projects.operation import Acknowledgement, AsOption, Caller, Choice, Input, Output, Refused, operation
from runtime.words import counted

IMAGES = 12
COLOUR = {kind.value: number for number, kind in enumerate(MentionType)}
"""The number of each type's colour."""


class SamplePage(Input):
    page: Annotated[int, Ge(0), Le(10**7)] = 0
    """Each page has another dozen images."""


class PhraseOfSample(Output):
    words: list[str]
    span: Annotated[list[int], Len(2, 2)]
    """The first of the words in the caption, and the end."""
    types: list[str]
    """Empty: no phrase of the picture."""
    colour: int | None
    """The number of the colour of the first type."""
    head: Annotated[list[int], Len(2, 2)]
    """The places in the text where the word that decides begins and ends; twice 0: none does."""


class PartOfCaption(Output):
    text: str
    phrase: PhraseOfSample | None = None


class CaptionOfSample(Output):
    number: int
    words: list[str]
    parts: list[PartOfCaption]
    chunked: bool
    """Off: its phrases were not looked for yet."""


class ImageOfSample(Output):
    id: int
    begun: bool
    """On: its phrases are changed in review alone."""
    name: str
    url: str
    picture: str
    """The address of a small picture; empty: the image has none."""
    width: int
    height: int
    captions: list[CaptionOfSample]


class PhraseSample(Output):
    images: list[ImageOfSample]
    differing: int
    """Phrases of the sample that differ from what their images have."""
    undo: str
    """The newest change of marked phrases, which can be undone; empty: there is none."""


class TypeOfWords(Input):
    words: Annotated[list[str], MinLen(1), AsOption()]
    """The words of a phrase."""
    type: Annotated[str, Choice(CHOICES), AsOption()]


@operation(name="phrase_sample", surveys=False, path="phrase-types/sample/", method="get")
def read_sample(project: Project, inputs: SamplePage, caller: Caller) -> PhraseSample:
    """Return a dozen images, spread over the project, with their phrases as the present word lists would have them."""
    types = PhraseTypes(project)
    images = list(_chosen(project, inputs.page))
    changes = [types.change_of(list(image.captions.all()), list(image.mentions.all())) for image in images]
    differing = sum(len(change.retyped) + len(change.hidden) + len(change.shown) for change in changes)
    mends = live_mends(project)
    undo = f"{mends[-1].sentence} ({counted(len(mends[-1].entries), 'image')})" if mends else ""
    return PhraseSample(images=[_image(image, types) for image in images], differing=differing, undo=undo)


@operation(surveys=False, path="phrase-types/words/", refusals=(409,))
def change_type(project: Project, inputs: TypeOfWords, caller: Caller) -> Acknowledgement:
    """Give the word that decides the type of a phrase another type in the word lists of a draft."""
    if project.state != ProjectState.DRAFT.value:
        raise Refused("not_possible", "Only a draft's word lists are changed here.")
    try:
        return Acknowledgement(sentence=retype_word(project, inputs.words, inputs.type, caller.name))
    except RetypeError as error:
        raise Refused("invalid", str(error), 400) from error


def _chosen(project: Project, page: int) -> Iterator[Image]:
    """Yield a dozen images, as far apart as they can be; each page has others, until all were shown."""
    ids = list(project.images.order_by("position").values_list("pk", flat=True))
    stride = max(1, len(ids) // IMAGES)
    spread = [image for first in range(stride) for image in ids[first::stride]]
    start = IMAGES * (page % max(1, ceil(len(ids) / IMAGES)))
    chosen = spread[start : start + IMAGES]
    rows = Image.objects.filter(pk__in=chosen).select_related("project", "progress").order_by("position")
    yield from rows.prefetch_related("captions", "mentions")


def _image(image: Image, types: PhraseTypes) -> ImageOfSample:
    mentions = list(image.mentions.all())
    captions = [
        CaptionOfSample(
            number=caption.number,
            words=caption.words,
            parts=list(_parts(caption, mentions, types)),
            chunked=caption.chunked,
        )
        for caption in image.captions.all()
    ]
    return ImageOfSample(
        id=image.pk,
        begun=image.progress.due != Progress.Due.LINKS,
        name=image.name,
        url=reverse("gallery:image", args=[image.project.name, image.pk]),
        picture=reverse("gallery:picture", args=[image.pk, "thumbnail"]) if image.picture else "",
        width=image.width,
        height=image.height,
        captions=captions,
    )


def _parts(caption: Caption, mentions: Sequence[Mention], types: PhraseTypes) -> Iterator[PartOfCaption]:
    """Yield the caption in parts: text between phrases, and phrases with their types and the word that decides."""
    own = {(mention.start, mention.end): mention for mention in mentions if mention.caption_id == caption.pk}
    hidden = ((start, end) for start, end in left_over(caption.non_visual, list(own)))
    at = 0
    for start, end in sorted([*own, *hidden]):
        begins, ends = caption.offsets[start], caption.offsets[end - 1] + len(caption.words[end - 1])
        if begins > at:
            yield PartOfCaption(text=caption.text[at:begins])
        yield PartOfCaption(
            text=caption.text[begins:ends], phrase=_phrase(caption, start, end, own.get((start, end)), types)
        )
        at = ends
    if at < len(caption.text):
        yield PartOfCaption(text=caption.text[at:])


def _phrase(caption: Caption, start: int, end: int, mention: Mention | None, types: PhraseTypes) -> PhraseOfSample:
    words = caption.words[start:end]
    fixed = mention is not None and not types.are_from_lists(words, mention.types)
    kinds = mention.types if fixed and mention else types.types(words) if types.is_phrase(words) else []
    place = None if fixed else deciding_place(words, types.now)
    head = [0, 0]
    if place is not None:
        first = caption.offsets[start + place] - caption.offsets[start]
        head = [first, first + len(words[place])]
    return PhraseOfSample(
        words=words, span=[start, end], types=kinds, colour=COLOUR[kinds[0]] if kinds else None, head=head
    )
