"""Exports in the format of Flickr30k Entities: folders `Sentences/` and `Annotations/`, as a folder or an archive."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from sys import intern
from xml.etree.ElementTree import Element, ParseError, fromstring

from evaluation.errors import InputError
from evaluation.reading.picture import NO_BOX, SCENE, Box, Caption, Phrase, Picture
from evaluation.reading.source import Source, folder_of

TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")
"""The types, in the order of the paper's tables."""
_PIECE = re.compile(r"\[/EN#(?P<chain>[0-9]{1,18})(?P<types>(?:/[a-z]+)*)\s(?P<words>[^][]*)\]|(?P<bracket>[][])")
_LONGEST_CHAIN = 18
FLAGS = {"scene": SCENE, "nobndbox": NO_BOX}
"""The flags of chains, by their elements."""
Shown = Callable[[Iterable[str], str], Iterable[str]]
"""Shows progress: Work.progress."""


def read_sentences(text: str, file: str) -> tuple[Caption, ...]:
    """Return the captions of a file. Blank lines are skipped. Raises InputError with file and line."""
    captions: list[Caption] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            captions.append(read_caption(line, len(captions), f"{file}, line {number}"))
    return tuple(captions)


def read_caption(line: str, caption: int, where: str) -> Caption:
    """Return one caption. Raises InputError for brackets that are not a phrase."""
    # The same words stand in many captions: each is kept once.
    words: list[str] = []
    phrases: list[Phrase] = []
    at = 0
    for found in _PIECE.finditer(line):
        if found["bracket"]:
            raise InputError(f"{where}: the bracket at character {found.start() + 1} is no [/EN#chain/type words].")
        words += map(intern, line[at : found.start()].split())
        own = tuple(map(intern, found["words"].split()))
        if not own:
            raise InputError(f"{where}: the phrase at character {found.start() + 1} has no words.")
        types = tuple(map(intern, found["types"].split("/")[1:]))
        phrases.append(Phrase(caption, len(phrases), len(words), own, str(int(found["chain"])), types))
        words += own
        at = found.end()
    words += map(intern, line[at:].split())
    return Caption(tuple(words), tuple(phrases))


@dataclass(frozen=True, slots=True)
class Annotations:
    """The contents of a file. Sizes in pixels; boxes from 0, half open."""

    width: int
    height: int
    boxes: dict[str, list[Box]]
    flags: dict[str, frozenset[str]]


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
    flags: dict[str, frozenset[str]] = {}
    for place, node in enumerate(root.iterfind("object"), start=1):
        where = f"{file}, object {place}"
        frame = node.find("bndbox")
        if own := frozenset(flag for tag, flag in FLAGS.items() if (node.findtext(tag) or "").strip() == "1"):
            for name in node.iterfind("name"):
                chain = _chain(name.text, where)
                flags[chain] = flags.get(chain, frozenset()) | own
        if frame is None:
            continue
        xmin, ymin, xmax, ymax = (_number(frame, tag, where) for tag in ("xmin", "ymin", "xmax", "ymax"))
        if not (1 <= xmin <= xmax <= width and 1 <= ymin <= ymax <= height):
            raise InputError(f"{where}: the box {xmin} {ymin} {xmax} {ymax} is not inside {width} x {height} pixels.")
        for name in node.iterfind("name"):
            boxes[_chain(name.text, where)].append((xmin - 1, ymin - 1, xmax, ymax))
    return Annotations(width, height, dict(boxes), flags)


def _chain(text: str | None, where: str) -> str:
    name = (text or "").strip()
    if not (name.isascii() and name.isdigit() and len(name) <= _LONGEST_CHAIN):
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


def read_entities(path: Path, shown: Shown = lambda names, _: names) -> list[Picture]:
    """Return the pictures by name. Raises InputError if the folders are missing or a file is of another form."""
    source = Source(path)
    names = source.names()
    top = folder_of(names, "Sentences")
    if top is None:
        raise InputError(f"{path} has no folder Sentences/: give an export in the format flickr30k-entities.")
    sentences, annotations = (
        _stems(names, f"{top}{kind}/", end) for kind, end in (("Sentences", ".txt"), ("Annotations", ".xml"))
    )
    if not sentences:
        raise InputError(f"{path}: Sentences/ holds no .txt file.")
    if missing := sorted(sentences.keys() - annotations.keys()):
        raise InputError(f"{path}: Annotations/{missing[0]}.xml is missing ({len(missing)} are).")
    return [_picture(source, name, sentences[name], annotations[name]) for name in shown(sorted(sentences), "reading")]


def _stems(names: Iterable[str], folder: str, suffix: str) -> dict[str, str]:
    found = {}
    for name in names:
        file = PurePosixPath(name)
        if name == f"{folder}{file.name}" and file.suffix == suffix and not file.name.startswith("."):
            found[file.stem] = name
    return found


def _picture(source: Source, name: str, sentences: str, annotations: str) -> Picture:
    captions = read_sentences(source.text(sentences), sentences)
    boxed = read_annotations(source.read(annotations), annotations)
    return Picture(name, boxed.width, boxed.height, captions, boxed.boxes, flags=boxed.flags)
