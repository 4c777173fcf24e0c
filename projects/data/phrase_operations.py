"""Operations on the phrases of a draft: a sample, another type for a word, and phrases moved, joined or removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated

from annotated_types import Ge, Le, Len, MinLen
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from annotation.bounds import LONGEST_PHRASE, MOST_PHRASES, MOST_PHRASES_OF_CAPTION
from annotation.models import Caption, Image, Mention, Project
from annotation.rules.dictionaries import deciding_place
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ProjectState
from exchange.load_project import left_over
from pipeline.models import Entry, Progress
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.undo import CannotUndoError
from pipeline.record.intervene import ImageMovedError, act_as_expert, undo_entry
from projects.data.phrase_types import CHOICES, PhraseTypes, RetypeError, retype_word
from projects.operation import (
    LARGEST_ID,
    Acknowledgement,
    AsOption,
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    operation,
)
from runtime.words import counted

IMAGES_AT_ONCE = 200
"""Images that one call changes: more are left to the next one."""
Span = tuple[int, int]
"""The first word and the end in a caption."""
Word = Annotated[int, Ge(0), Le(LARGEST_ID)]
_REASON = re.compile(r"mend (\d+): (.*)")
BEGUN = "The work on this image has begun: change its phrases in the review of its chains."


class MarkedWords(Input):
    image: int
    """The id of an image."""
    caption: Annotated[Word, AsOption()]
    """The number of its caption, from 0."""
    start: Annotated[Word, AsOption()]
    """The first word, from 0."""
    end: Annotated[Word, AsOption()]
    """The word after the last one."""
    remove: bool = False
    """Leave the words without a phrase."""
    everywhere: bool = False
    """Also change all other captions that have the same words with the same phrases."""


class EditedPhrases(Output):
    sentence: str
    captions: int
    """Captions that were changed."""
    left: int
    """Images that still wait: repeat the call to change them."""


@dataclass(frozen=True)
class _Edit:
    """Words with their phrases as they are, and the phrase that they become. Spans count from the first word."""

    words: tuple[str, ...]
    old: tuple[Span, ...]
    new: Span | None

    @classmethod
    def of(cls, words: Sequence[str], phrases: Collection[Span], marked: Span, *, remove: bool) -> _Edit:
        """Make it of a caption: marked words take the place of all phrases that they touch."""
        touched = sorted(span for span in phrases if span[0] < marked[1] and marked[0] < span[1])
        first = min([marked[0], *(start for start, _ in touched)])
        end = max([marked[1], *(end for _, end in touched)])
        new = None if remove else (marked[0] - first, marked[1] - first)
        old = tuple((start - first, end - first) for start, end in touched)
        return cls(tuple(word.lower() for word in words[first:end]), old, new)

    @property
    def changes(self) -> bool:
        return self.old != (() if self.new is None else (self.new,))

    @property
    def sentence(self) -> str:
        old = " + ".join(f"“{self._text(span)}”" for span in self.old) or "no phrase"
        return f"{old} → {f'“{self._text(self.new)}”' if self.new else 'no phrase'}"[:450]

    def places(self, words: Sequence[str], phrases: Collection[Span]) -> Iterator[int]:
        """Yield where a caption has these words with these phrases."""
        lower, length, free = tuple(word.lower() for word in words), len(self.words), 0
        for place in range(len(lower) - length + 1):
            end = place + length
            if place < free or lower[place:end] != self.words:
                continue
            touched = sorted((a - place, b - place) for a, b in phrases if a < end and place < b)
            if tuple(touched) == self.old:
                yield place
                free = end

    def _text(self, span: Span) -> str:
        return " ".join(self.words[slice(*span)])


@dataclass
class _Recorded:
    """An edit as the records of the images have it."""

    number: int
    sentence: str
    entries: list[tuple[int, int]]
    """Images, each with the number of its entry."""


@operation(surveys=False, path="phrases/<int:image>/", refusals=(409,))
def mark_phrase(project: Project, inputs: MarkedWords, caller: Caller) -> EditedPhrases:
    """Make words one phrase, in place of all phrases that they touch, in an image that nobody has begun."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        image, edit = _edit_of(project, inputs)
        others = list(_others(project, image, edit)) if inputs.everywhere else []
        recorded = live_edits(project)
        newest = recorded[-1] if recorded else None
        sentence = f"{edit.sentence}{' everywhere' if inputs.everywhere else ''}"
        goes_on = inputs.everywhere and newest is not None and newest.sentence == sentence
        number = newest.number + (not goes_on) if newest else 1
        # The image that was named comes last: a repeated call reads from it what is to be changed.
        chosen = [*others, image][:IMAGES_AT_ONCE]
        only = None if inputs.everywhere else inputs
        types, reason = PhraseTypes(project), f"mend {number}: {sentence}"
        changed = sum(_change(row, edit, only, types, caller.name, reason) for row in chosen)
    return _result(edit.sentence, changed, len(others) + 1 - len(chosen))


@operation(surveys=False, path="phrases/undo/", refusals=(409,))
def undo_phrase_edit(project: Project, inputs: NoInput, caller: Caller) -> EditedPhrases:
    """Take back the newest change of phrases that was marked, in all images that nobody has begun since."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        recorded = live_edits(project)
        if not recorded:
            raise Refused("not_possible", "There is no change of phrases to undo.")
        newest = recorded[-1]
        for image, entry in newest.entries[:IMAGES_AT_ONCE]:
            try:
                undo_entry(image_id=image, entry=entry, actor=caller.name, reason=f"undo of mend {newest.number}")
            except CannotUndoError as error:
                raise Refused("not_possible", str(error)) from error
    done = len(newest.entries[:IMAGES_AT_ONCE])
    left = len(newest.entries) - done
    return EditedPhrases(sentence=f"Undone in {counted(done, 'image')}: {newest.sentence}.", captions=done, left=left)


def live_edits(project: Project) -> list[_Recorded]:
    """Return the edits that can be undone, the oldest first: those of images that nobody has begun."""
    rows = Entry.objects.filter(project=project, image__progress__due=Progress.Due.LINKS).order_by("pk")
    rows = rows.filter(Q(kind=EntryKind.EXPERT, reason__startswith="mend ") | Q(kind=EntryKind.UNDO))
    found: dict[int, _Recorded] = {}
    for image, sequence, data, reason in rows.values_list("image_id", "sequence", "data", "reason"):
        if match := _REASON.fullmatch(reason):
            number = int(match[1])
            edit = found.setdefault(number, _Recorded(number, "", []))
            edit.sentence = match[2]  # The number of an edit that was undone whole is used again.
            edit.entries.append((image, sequence))
        elif "undo" in data:
            for edit in found.values():
                edit.entries = [place for place in edit.entries if place != (image, data["undo"])]
    return [edit for _, edit in sorted(found.items()) if edit.entries]


def _result(sentence: str, captions: int, left: int) -> EditedPhrases:
    more = f" {counted(left, 'image')} left." if left else ""
    return EditedPhrases(sentence=f"{sentence}: {counted(captions, 'caption')}.{more}", captions=captions, left=left)


def _edit_of(project: Project, inputs: MarkedWords) -> tuple[Image, _Edit]:
    """Return the image and the edit. Raises Refused for words that are not there, and where nothing would change."""
    image = _not_begun(project).filter(pk=inputs.image).first()
    if image is None:
        known = project.images.filter(pk=inputs.image).exists()
        raise Refused("not_possible", BEGUN) if known else Refused("not_found", "There is no such image.", 404)
    caption = next((row for row in image.captions.all() if row.number == inputs.caption), None)
    if caption is None or not inputs.start < inputs.end <= len(caption.words):
        raise Refused("invalid", "The caption has no such words.", 400, field="end")
    if not caption.chunked:
        raise Refused("not_possible", "This caption waits for its phrases: apply the word lists first.")
    marked = (inputs.start, inputs.end)
    edit = _Edit.of(caption.words, _phrases(image, caption), marked, remove=inputs.remove)
    if not edit.changes:
        raise Refused("invalid", "Nothing would change.", 400)
    words = caption.words[slice(*marked)]
    if len(" ".join(words)) > LONGEST_PHRASE:
        raise Refused("invalid", f"A phrase has at most {LONGEST_PHRASE} characters.", 400, field="end")
    if not inputs.remove and not PhraseTypes(project).is_phrase(words):
        listed = f"“{' '.join(words)}” is on the list of words that are no phrase of a picture: give it a type first."
        raise Refused("invalid", listed, 400)
    return image, edit


def _not_begun(project: Project) -> QuerySet[Image]:
    rows = Image.objects.filter(project=project, progress__due=Progress.Due.LINKS)
    return rows.prefetch_related("captions", "mentions").order_by("position")


def _others(project: Project, image: Image, edit: _Edit) -> Iterator[Image]:
    """Yield all other images that the edit fits."""
    longest = max(edit.words, key=len)
    ids = (
        _not_begun(project).filter(captions__text__icontains=longest).exclude(pk=image.pk).values_list("pk", flat=True)
    )
    for found in _not_begun(project).filter(pk__in=ids):
        if any(_fits(found, edit)):
            yield found


def _fits(image: Image, edit: _Edit) -> Iterator[tuple[Caption, int]]:
    for caption in image.captions.all():
        if caption.chunked:
            yield from ((caption, place) for place in edit.places(caption.words, _phrases(image, caption)))


def _phrases(image: Image, caption: Caption) -> list[Span]:
    return [(row.start, row.end) for row in image.mentions.all() if row.caption_id == caption.pk]


def _change(image: Image, edit: _Edit, only: MarkedWords | None, types: PhraseTypes, actor: str, reason: str) -> int:
    """Change the image where the edit fits, or only at the marked words. Returns the number of captions."""
    state = Progress.objects.get(image=image).state
    number, removed, added, captions = state["next_mention"], list[Mention](), [], set()
    for caption, place in _fits(image, edit):
        end = place + len(edit.words)
        if only and not (caption.number == only.caption and place <= only.start and only.end <= end):
            continue
        old = [row for row in image.mentions.all() if row.caption_id == caption.pk and place <= row.start < end]
        removed += old
        captions.add(caption.number)
        if edit.new:
            start, end = place + edit.new[0], place + edit.new[1]
            words = caption.words[start:end]
            kinds = _types(words, [(caption.words[row.start : row.end], row.types) for row in old], types)
            added.append([number, caption.number, start, end, kinds, " ".join(words)])
            number += 1
    _check_counts(image, removed, [row[1] for row in added])
    action = {"action": "rechunk", "remove": [row.number for row in removed], "add": added}
    try:
        act_as_expert(image_id=image.pk, action=action, actor=actor, reason=reason, seen=state["sequence"])
    except (ExpertError, ImageMovedError) as error:
        raise Refused("not_possible", f"{image.name}: {error or 'the image changed meanwhile: try again.'}") from error
    return len(captions)


def _types(words: Sequence[str], old: Sequence[tuple[Sequence[str], list[str]]], types: PhraseTypes) -> list[str]:
    """Return the types of new words: those that a source gave to a phrase before, or else those of the lists.

    Where the lists know none of the new words, the types that one of the phrases had before stay.
    """
    other = [MentionType.OTHER.value]
    given = [kinds for before, kinds in old if not types.are_from_lists(before, kinds)]
    listed = types.types(words)
    had = [kinds for _, kinds in old if listed == other != kinds]
    return next(iter([*given, *had]), listed)


def _check_counts(image: Image, removed: Collection[Mention], added: Sequence[int]) -> None:
    """Raise Refused if a caption or the image would have too many phrases. `added`: numbers of captions."""
    numbers = {caption.pk: caption.number for caption in image.captions.all()}
    gone = {row.pk for row in removed}
    counts = Counter([*(numbers[row.caption_id] for row in image.mentions.all() if row.pk not in gone), *added])
    if counts.total() > MOST_PHRASES or max(counts.values(), default=0) > MOST_PHRASES_OF_CAPTION:
        most = f"{MOST_PHRASES} phrases, and a caption at most {MOST_PHRASES_OF_CAPTION}"
        raise Refused("not_possible", f"{image.name}: an image has at most {most}.")


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
    edits = live_edits(project)
    undo = f"{edits[-1].sentence} ({counted(len(edits[-1].entries), 'image')})" if edits else ""
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
