"""Grounded phrases: each caption of a finished image with its phrases, their boxes and their chances, for every format.

A phrase is told by its place in the caption, never by its text: two equal phrases of a caption stay apart.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from typing import Annotated

from annotated_types import Len
from typing_extensions import TypedDict

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, NegativePhrase
from exchange.declared import OURS, Chance, Pair
from exchange.split_captions import character_span

Spans = Sequence[Pair]
"""Characters of a caption, [[from, to), ...]."""


class Sure(TypedDict, total=False):
    """The sureness of a phrase's boxes are."""

    confidence: Chance
    """The product of the chances of the chain and of its boxes, where they are known."""


class NegativeRow(Sure):
    """A phrase of which nothing in the picture can be boxed. It has no `confidence` if none is known."""

    phrase: Annotated[str, OURS]
    """The words of the phrase."""
    tokens_negative: Annotated[Spans, Len(1)]
    """The characters of the phrase in the caption, [[from, to)]."""


class ExportNote(StrEnum):
    """Things that an export leaves out, or says in a way that a reader should know."""

    UNSURE = "Boxes left out that, or whose chain, are less sure than the minimum confidence"
    UNKNOWN = "Boxes kept whose confidence is not known"
    PROGRAMS = "Boxes left out that no person drew or judged"
    FLAGS = "Chains without a box that lose their reason, because no person answered about them"
    NO_PART = "Images left out, because they are in no part of the split"
    NO_PICTURE = "Images without a picture; hub and parquet leave them out"
    NO_BOX = "Phrases without a box, left out"
    UNSURE_NEGATIVES = "Negative phrases left out that are less sure than the minimum confidence"
    NEGATIVES = "Negative phrases, written without a box"
    NO_PHRASE = "Captions left out without a phrase that has a box"
    SEVERAL_BOXES = "Phrases with several boxes"
    SEVERAL_TYPES = "Phrases with several types; the first one is written where a format has room for one"
    NOT_MARKED = "Captions left out, because they hold the signs by which the format marks phrases"


def note_sentences(notes: Counter[ExportNote]) -> list[str]:
    """Return a sentence for each note that was counted, in their order."""
    return [f"{note}: {notes[note]:,}." for note in ExportNote if notes[note]]


@dataclass(frozen=True, slots=True)
class GroundedPhrase:
    """A phrase with its boxes."""

    start: int
    """The first character in the caption's text ..."""
    end: int
    """... and the first one behind the phrase."""
    text: str
    types: tuple[str, ...]
    chain: str
    """The number of its chain in the export."""
    boxes: tuple[Box, ...]
    """In pixels of the upright image, from left to right; at least one."""
    confidence: float | None
    """The chance, 0 to 1, that the chain and all these boxes are right; None: unknown."""


@dataclass(frozen=True, slots=True)
class GroundedCaption:
    """A caption with its phrases that have boxes, in the order of the text."""

    number: int
    text: str
    phrases: tuple[GroundedPhrase, ...]
    negatives: tuple[NegativeRow, ...]
    """The phrases of which nothing can be boxed, in the order of the text."""


@dataclass(frozen=True, slots=True)
class GroundedImage:
    """An image with its captions."""

    image: DatasetImage
    captions: tuple[GroundedCaption, ...]


def grounded(
    images: Iterable[DatasetImage], notes: Counter[ExportNote], *, every: bool = False, first: int = 1
) -> Iterator[GroundedImage]:
    """Yield the images with their grounded captions, if they have any, and count what is left out.

    `every`: with captions that have neither a phrase with a box nor a negative one. Chains with boxes are numbered
    `first`, ... over all images, so that an import of these phrases, which are all that it gets, is exported with the
    same numbers.
    """
    running = map(str, count(first))
    for image in images:
        numbers = defaultdict[str, str](partial(next, running))
        yield GroundedImage(image, tuple(_captions(image, notes, numbers, every=every)))


def _captions(
    image: DatasetImage, notes: Counter[ExportNote], numbers: Mapping[str, str], *, every: bool
) -> Iterator[GroundedCaption]:
    """Yield the captions. `numbers`: gives a number to each chain that is asked for, in this order."""
    boxes: dict[str, list[DatasetBox]] = defaultdict(list)
    for box in image.boxes:
        for chain in box.chains:
            boxes[chain].append(box)
    sure = {chain.name: chain.confidence for chain in image.chains}
    of_caption: dict[int, list[GroundedPhrase]] = defaultdict(list)
    negatives: dict[int, list[NegativeRow]] = defaultdict(list)
    for negative in image.negatives or ():
        negatives[negative.caption].append(_negative(negative, image.captions[negative.caption]))
        notes[ExportNote.NEGATIVES] += 1
    written = {phrase[:3] for phrase in image.negatives or ()}
    for mention in image.mentions:
        own = boxes.get(mention.chain or "", [])
        if mention.chain is None or not own:
            notes[ExportNote.NO_BOX] += (mention.caption, mention.start, mention.end) not in written
            continue
        notes[ExportNote.SEVERAL_BOXES] += len(own) > 1
        notes[ExportNote.SEVERAL_TYPES] += len(mention.types) > 1
        caption = image.captions[mention.caption]
        start, end = character_span(caption, mention.start, mention.end)
        chance = chance_of_all((sure.get(mention.chain), *(box.confidence for box in own)))
        phrase = GroundedPhrase(
            start,
            end,
            caption.text[start:end],
            mention.types,
            numbers[mention.chain],
            tuple(sorted(box.box for box in own)),
            chance,
        )
        of_caption[mention.caption].append(phrase)
    for number, caption in enumerate(image.captions):
        if every or number in of_caption or number in negatives:
            phrases = sorted(of_caption.get(number, []), key=lambda one: one.start)
            yield GroundedCaption(number, caption.text, tuple(phrases), tuple(negatives.get(number, [])))
        else:
            notes[ExportNote.NO_PHRASE] += 1


def _negative(phrase: NegativePhrase, caption: DatasetCaption) -> NegativeRow:
    start, end = character_span(caption, phrase.start, phrase.end)
    return {"phrase": caption.text[start:end], "tokens_negative": [[start, end]], **_sure(phrase.confidence)}


def chance_of_all(chances: Iterable[float | None]) -> float | None:
    """Return the chance that all of these are right, as if they were independent; None: none is known."""
    known = [chance for chance in chances if chance is not None]
    return round(math.prod(known), 4) if known else None


def xywh(box: Box) -> list[int]:
    """Return the box as left, top, width and height."""
    return [box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0]


def chance_of(phrase: GroundedPhrase) -> Sure:
    """Return the phrase's confidence for its row, if it is known. Readers pass over fields that they do not know."""
    return _sure(phrase.confidence)


def _sure(chance: float | None) -> Sure:
    return {} if chance is None else {"confidence": chance}
