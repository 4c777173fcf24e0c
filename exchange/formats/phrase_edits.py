"""Changes of the phrases of an image, for formats that keep boxes by the characters of a caption."""

from collections.abc import Iterable
from typing import NamedTuple

from annotation.rules.box import Box, iou
from exchange.dataset import DatasetImage
from exchange.formats.edits import Edit
from exchange.words import character_span

Span = tuple[int, int]
"""Characters [from, to) of a caption."""


class Phrase(NamedTuple):
    """The chain, the boxes and the types of a phrase."""

    chain: str
    boxes: tuple[Box, ...]
    types: tuple[str, ...]


class Moved(NamedTuple):
    """Boxes that change."""

    instead: dict[Box, Box | None]
    """The box in the place of each that goes; None: none is."""
    added: tuple[Box, ...]


class PhraseEdit(NamedTuple):
    """A phrase that changes. `before` is None for one that is new, `after` for one that goes."""

    span: Span
    text: str
    before: Phrase | None
    after: Phrase | None
    boxes: Moved


def phrase_edits(edit: Edit) -> list[dict[Span, PhraseEdit]]:
    """Return the phrases that change, by caption."""
    found = []
    for caption, was, now in zip(edit.before.captions, *map(phrases_of, (edit.before, edit.after)), strict=True):
        own = {}
        for span in sorted(was.keys() | now.keys()):
            before, after = was.get(span), now.get(span)
            if before != after:
                boxes = moved(before.boxes if before else (), after.boxes if after else ())
                own[span] = PhraseEdit(span, caption.text[slice(*span)], before, after, boxes)
        found.append(own)
    return found


def phrases_of(image: DatasetImage) -> list[dict[Span, Phrase]]:
    """Return the phrases of each caption."""
    found: list[dict[Span, Phrase]] = [{} for _ in image.captions]
    for mention in image.mentions:
        boxes = tuple(sorted({box.box for box in image.boxes if mention.chain in box.chains}))
        span = character_span(image.captions[mention.caption], mention.start, mention.end)
        found[mention.caption][span] = Phrase(mention.chain or "", boxes, mention.types)
    return found


def moved(before: Iterable[Box], after: Iterable[Box]) -> Moved:
    """Pair boxes that go with new ones: those that overlap most first, so that a box that only moved keeps its id."""
    was, now = list(dict.fromkeys(before)), list(dict.fromkeys(after))
    gone, new = [one for one in was if one not in now], [one for one in now if one not in was]
    pairs = sorted(((one, other) for one in gone for other in new), key=lambda pair: -iou(*pair))
    instead: dict[Box, Box | None] = {}
    for one, other in pairs:
        if one not in instead and other not in instead.values():
            instead[one] = other
    taken = set(instead.values())
    return Moved({one: instead.get(one) for one in gone}, tuple(one for one in new if one not in taken))
