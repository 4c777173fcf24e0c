"""Grounded phrases: each caption of a finished image with its phrases, their boxes and their chances, for every format.

A phrase is told by its place in the caption, never by its text: two equal phrases of a caption stay apart.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count

from typing_extensions import TypedDict

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from exchange.declared import Chance, Pair
from exchange.words import character_span

Spans = Sequence[Pair]
"""Characters of a caption, [[from, to), ...]."""


class Sure(TypedDict, total=False):
    """The sureness of a phrase's boxes are."""

    confidence: Chance
    """The product of the chances of the chain and of its boxes, where they are known."""


class ExportNote(StrEnum):
    """Things that an export leaves out, or says in a way that a reader should know."""

    UNSURE = "Boxes left out that, or whose chain, are less sure than the minimum confidence"
    UNKNOWN = "Boxes kept whose confidence is not known"
    PROGRAMS = "Boxes left out that no person drew or judged"
    FLAGS = "Chains without a box that lose their reason, because no person answered about them"
    NO_PART = "Images left out, because they are in no part of the split"
    NO_PICTURE = "Images without a picture; hub and parquet leave them out"
    NO_BOX = "Phrases without a box, left out"
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


@dataclass(frozen=True, slots=True)
class GroundedImage:
    """An image with its captions."""

    image: DatasetImage
    captions: tuple[GroundedCaption, ...]


def grounded(
    images: Iterable[DatasetImage], notes: Counter[ExportNote], *, every: bool = False, first: int = 1
) -> Iterator[GroundedImage]:
    """Yield the images with their grounded captions, if they have any, and count what is left out.

    `every`: with captions of which no phrase has a box. Chains with boxes are numbered `first`, ... over all images,
    so that an import of these phrases, which are all that it gets, is exported with the same numbers.
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
    for mention in image.mentions:
        own = boxes.get(mention.chain or "", [])
        if mention.chain is None or not own:
            notes[ExportNote.NO_BOX] += 1
            continue
        notes[ExportNote.SEVERAL_BOXES] += len(own) > 1
        notes[ExportNote.SEVERAL_TYPES] += len(mention.types) > 1
        caption = image.captions[mention.caption]
        start, end = character_span(caption, mention.start, mention.end)
        chance = _together(sure.get(mention.chain), own)
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
        if every or number in of_caption:
            phrases = sorted(of_caption.get(number, []), key=lambda one: one.start)
            yield GroundedCaption(number, caption.text, tuple(phrases))
        else:
            notes[ExportNote.NO_PHRASE] += 1


def _together(chain: float | None, boxes: Iterable[DatasetBox]) -> float | None:
    """Return the chance that the chain and the boxes are right, as if they were independent; None: none is known."""
    known = [chance for chance in (chain, *(box.confidence for box in boxes)) if chance is not None]
    if not known:
        return None
    chance = 1.0
    for factor in known:
        chance *= factor
    return round(chance, 4)


def xywh(box: Box) -> list[int]:
    """Return the box as left, top, width and height."""
    return [box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0]


def chance_of(phrase: GroundedPhrase) -> Sure:
    """Return the phrase's confidence for its row, if it is known. Readers pass over fields that they do not know."""
    return {} if phrase.confidence is None else {"confidence": phrase.confidence}
