"""Files of predictions: JSON Lines with one phrase a line, or COCO results with one box an entry."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.localization.predictions.box_forms import read_box
from evaluation.localization.predictions.known_phrases import Key, KnownPhrases
from evaluation.reading.json_lines import json_file, json_lines, member, number, whole
from evaluation.reading.picture import Box
from evaluation.refused import Refused

FILES = ("jsonl", "coco")


@dataclass
class Predictions:
    """The predicted boxes of each phrase, the best first."""

    boxes: dict[Key, list[Box]] = field(default_factory=dict)
    """Only phrases with a gold box."""
    unboxed: int = 0
    """Phrases without a gold box: their predictions are ignored."""


def read_predictions(path: Path, known: KnownPhrases, *, kind: str, form: str, clip: bool = False) -> Predictions:
    """Read a file. `kind`: one of FILES; `form`: one of box_forms.FORMS.

    Raises Refused for the first line or entry that is wrong, and for a file without any.
    """
    rows = _from_lines(path, known, form, clip) if kind == "jsonl" else _from_coco(path, known, form, clip)
    found = Predictions()
    seen: dict[Key, str] = {}
    for where, key, boxes in rows:
        if key in seen:
            raise Refused(f"{where} names the same phrase as {seen[key].rpartition(', ')[2]}: write each phrase once.")
        seen[key] = where
        if known.has_box(key):
            found.boxes[key] = boxes
        else:
            found.unboxed += 1
    if not seen:
        raise Refused(f"{path.name} holds no predictions.")
    return found


Rows = Iterator[tuple[str, Key, list[Box]]]


def _from_lines(path: Path, known: KnownPhrases, form: str, clip: bool) -> Rows:
    for where, value in json_lines(path):
        key = _key(value, "image", known, where)
        boxes = member(value, "boxes", where)
        if not isinstance(boxes, list):
            raise Refused(f"{where}: the field 'boxes' is no list.")
        size = known.size(key[0])
        read = [read_box(one, form, size, f"{where}: box {place}", clip) for place, one in enumerate(boxes, start=1)]
        yield where, key, read


def _from_coco(path: Path, known: KnownPhrases, form: str, clip: bool) -> Rows:
    """Yield the phrases of a list of results; boxes of a phrase by falling score, ties in the order of the file."""
    entries = json_file(path)
    if not isinstance(entries, list):
        raise Refused(f"{path.name} is no list of results.")
    found: dict[Key, list[tuple[float, Box]]] = defaultdict(list)
    first: dict[Key, str] = {}
    for place, value in enumerate(entries, start=1):
        where = f"{path.name}, entry {place}"
        key = _key(value, "image_id", known, where)
        box = read_box(member(value, "bbox", where), form, known.size(key[0]), f"{where}: the box", clip)
        found[key].append((-number(member(value, "score", where), f"{where}: the score"), box))
        first.setdefault(key, where)
    for key, scored in found.items():
        yield first[key], key, [box for _, box in sorted(scored, key=lambda one: one[0])]


def _key(value: Any, image: str, known: KnownPhrases, where: str) -> Key:
    name = member(value, image, where)
    if image == "image_id" and isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str):
        raise Refused(f"{where}: the field {image!r} is {str(name)[:40]!r}, not the name of an image in quotes.")
    caption = whole(member(value, "caption", where), f"{where}: the field 'caption'")
    phrase = whole(member(value, "phrase", where), f"{where}: the field 'phrase'")
    return known.check(name, caption, phrase, where)
