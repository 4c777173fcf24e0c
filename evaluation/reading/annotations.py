"""Annotation files of Flickr30k Entities: the size of an image and the boxes of its chains, from 1, inclusive."""

from collections import defaultdict
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, fromstring

from evaluation.errors import InputError
from evaluation.reading.picture import Box


@dataclass(frozen=True, slots=True)
class Annotations:
    """The contents of a file. Sizes in pixels; boxes from 0, half open."""

    width: int
    height: int
    boxes: dict[str, list[Box]]


def read_annotations(data: bytes, file: str) -> Annotations:
    """Return the size and the boxes. Raises InputError for XML of another form."""
    # Entities could grow without end. Their declarations are refused; UTF-16 could hide them.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        raise InputError(f"{file} has a document type or is not UTF-8: remove the <!DOCTYPE ...>.")
    try:
        root = fromstring(data)
    except (ParseError, ValueError, LookupError) as error:
        raise InputError(f"{file} is broken XML: {error}.") from error
    width, height = _number(root, "size/width", file), _number(root, "size/height", file)
    boxes: dict[str, list[Box]] = defaultdict(list)
    for place, node in enumerate(root.iterfind("object"), start=1):
        where = f"{file}, object {place}"
        frame = node.find("bndbox")
        if frame is None:
            continue
        xmin, ymin, xmax, ymax = (_number(frame, tag, where) for tag in ("xmin", "ymin", "xmax", "ymax"))
        if not (1 <= xmin <= xmax <= width and 1 <= ymin <= ymax <= height):
            raise InputError(f"{where}: the box {xmin} {ymin} {xmax} {ymax} is not inside {width} x {height} pixels.")
        for name in node.iterfind("name"):
            boxes[_chain(name.text, where)].append((xmin - 1, ymin - 1, xmax, ymax))
    return Annotations(width, height, dict(boxes))


def _chain(text: str | None, where: str) -> str:
    name = (text or "").strip()
    if not (name.isascii() and name.isdigit()):
        raise InputError(f"{where}: the chain {name[:40]!r} is not a number.")
    return str(int(name))


def _number(node: Element, path: str, where: str) -> int:
    text = (node.findtext(path) or "").strip()
    try:
        value = float(text)
        if not value.is_integer():
            raise ValueError
    except (ValueError, OverflowError) as error:
        raise InputError(f"{where}: <{path}> is {text[:40]!r}, not a whole number of pixels.") from error
    return int(value)
