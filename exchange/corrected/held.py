"""The labels of a corrected file, read again: whatever its format could not hold is reported."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from annotation.rules.box import Box
from exchange.dataset import DatasetImage, DatasetMention
from exchange.formats.edits import Edit
from exchange.import_image import flags_of

Place = tuple[str, int, int]
"""A phrase: the text of its caption, and its words [from, to). Captions may come in another order."""
Said = tuple[frozenset[Place], frozenset[Box], str]
"""A label: its phrases, its boxes, and the reason why it has none."""


class NotHeld(StrEnum):
    """The ways in which a label that was written differs from what it was to be."""

    PHRASE = "labels have no box, or no longer one for each phrase: phrases without boxes are left out"
    FLAG = "flags (scene, no box) are not written"
    BOXES = "labels keep the boxes that they had: the format holds one for each phrase"
    COREFERENCE = "labels do not say which phrases are one thing: the format tells it by equal boxes"
    TYPES = "types of phrases are not written"


def not_held(edit: Edit, written: DatasetImage | None) -> Counter[NotHeld]:
    """Count the labels of an image that are not as they were to be. `written`: as it is read again; None: it is not."""
    found: Counter[NotHeld] = Counter()
    there = _labels(written) if written else []
    for label in _labels(edit.after):
        if label not in there:
            found[_why(label, [other for other in there if label[0] & other[0]])] += 1
    before, after, types = map(_types, (edit.before, edit.after, written or edit.after))
    retyped = {place for place in after.keys() & before.keys() & types.keys() if after[place] != before[place]}
    found[NotHeld.TYPES] = sum(types[place] != after[place] for place in retyped)
    return +found


def _why(wanted: Said, written: Iterable[Said]) -> NotHeld:
    """Return what is not held of a label. `written`: the labels that share phrases with it."""
    places, boxes, flag = wanted
    written = list(written)
    if not places <= {place for own, *_ in written for place in own}:
        return NotHeld.PHRASE
    if any(own != boxes for _, own, _ in written):
        return NotHeld.BOXES
    if any(own == places and said != flag for own, _, said in written):
        return NotHeld.FLAG
    return NotHeld.COREFERENCE


def _labels(image: DatasetImage) -> list[Said]:
    flags = flags_of(image)
    found = []
    for name in dict.fromkeys(mention.chain for mention in image.mentions if mention.chain is not None):
        places = frozenset(_place(image, mention) for mention in image.mentions if mention.chain == name)
        boxes = frozenset(box.box for box in image.boxes if name in box.chains)
        found.append((places, boxes, "" if boxes else flags.get(name, "")))
    return found


def _types(image: DatasetImage) -> dict[Place, frozenset[str]]:
    return {_place(image, mention): frozenset(mention.types) for mention in image.mentions}


def _place(image: DatasetImage, mention: DatasetMention) -> Place:
    return image.captions[mention.caption].text, mention.start, mention.end
