"""Images as files of grounding say them: captions with phrases by characters, their boxes and, rarely, their chains."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation.bounds import (
    LONGEST_CAPTION,
    MOST_BAD_LINES,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_PHRASES_OF_CAPTION,
    TABLE_BYTES,
)
from annotation.rules.box import Box
from exchange.checks import as_list, as_text, parse_json
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.find_pictures import FoundPictures
from exchange.folder.lines import Lines, Position
from exchange.names import image_name, names_of, natural_key
from exchange.picture_files import Pictures, check_size
from exchange.problems import Defect, source_error
from exchange.words import words_at

Span = tuple[int, int]


@dataclass(slots=True)
class SaidCaption:
    """A caption. `boxes`: of each span of characters, in the order of the file; a phrase may have none.

    In an image with any chain or box, a phrase that has neither is a chain of its own.
    """

    text: str
    where: str
    boxes: dict[Span, list[Box]] = field(default_factory=dict)
    chains: dict[Span, str] = field(default_factory=dict)
    """The chain of a span, if the file names it, as our own exports do."""
    types: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    """The types of a span, if the file has them; else the dictionaries decide."""


@dataclass(slots=True)
class SaidImage:
    """An image by the path of its picture."""

    path: str
    width: int
    height: int
    file: str
    where: str
    line: int | None = None
    coco_id: int | str | None = None
    captions: list[SaidCaption] = field(default_factory=list)
    loose: list[tuple[Box, str]] = field(default_factory=list)
    """Boxes of no phrase, each with its category."""
    bad: list[Defect] = field(default_factory=list)
    """Faults of its captions: one leaves the image out."""

    def check_same(self, width: int, height: int, where: str) -> None:
        """Raise Defect if another row of the file gives the image another size."""
        if (width, height) != (self.width, self.height):
            raise Defect(
                f"{where}: {self.path} has {width} x {height} pixels here and {self.width} x {self.height} in "
                f"{self.where}"
            )


def bad_lines(file: Path, shown: str, add: Callable[[Any, int], None]) -> list[Problem]:
    """Give the value of each JSON line and its number to `add`, and return a problem for each that is no JSON or bad.

    `add` raises Defect for a bad one. Raises SourceError for a file that is too large or has too many bad lines.
    """
    if (size := file.stat().st_size) > TABLE_BYTES:
        raise source_error(shown, f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
    problems: list[Problem] = []
    with file.open("rb") as source:
        lines = Lines(source, Position(0, 1))
        while True:
            number, lines.row_bytes = lines.place.line, 0
            try:
                if (text := next(lines, None)) is None:
                    return problems
                if text.strip():
                    add(parse_json(text), number)
            except Defect as defect:
                problems.append(Defect(defect.message, number).problem(shown))
                if len(problems) > MOST_BAD_LINES:
                    raise source_error(shown, f"has more than {MOST_BAD_LINES:,} lines that cannot be read") from defect


def dataset_images(
    said: Iterable[SaidImage], pictures: Pictures, file: str, *, by_name: bool = True
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with their pictures, wherever these lie in the source.

    `by_name`: whether they are sorted; else they keep the order of the file, in which their pictures lie. Raises
    SourceError for pictures of which no image names one.
    """
    usable: dict[str, SaidImage] = {}
    for one in said:
        try:
            image_name(one.path)
        except Defect as defect:
            yield Defect(f"{one.where}: {defect.message}", one.line).problem(one.file, one.path)
        else:
            usable[one.path] = one
    found = FoundPictures(pictures, usable)
    found.check(file)
    names = names_of(usable)
    for path in sorted(usable, key=lambda one: natural_key(names[one])) if by_name else usable:
        one = usable[path]
        defects = list(one.bad)
        if not defects:
            try:
                yield one_image(one, names[path], found)
            except Defect as defect:
                defects.append(Defect(defect.message, defect.line or one.line))
        yield from (defect.problem(one.file, path) for defect in defects)


def one_image(said: SaidImage, name: str, found: FoundPictures) -> DatasetImage:
    """Return the image with its picture. Raises Defect, as for phrases that share a word."""
    if len(said.captions) > MOST_CAPTIONS:
        raise Defect(f"{said.where} has {len(said.captions):,} captions: at most {MOST_CAPTIONS:,} are allowed")
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    boxes: dict[Box, dict[str, None]] = defaultdict(dict)
    same: dict[frozenset[Box], str] = {}
    marked = any(one.boxes for one in said.captions)
    chained = any(one.chains or any(one.boxes.values()) for one in said.captions)
    for number, one in enumerate(said.captions):
        spans = sorted(one.boxes)
        caption, words = words_at(one.text, spans, one.where)
        captions.append(replace(caption, chunked=marked))
        for span, (start, end) in zip(spans, words, strict=True):
            own = dict.fromkeys(one.boxes[span])
            chain = one.chains.get(span) or _by_boxes(same, own) or (f"alone {len(mentions) + 1}" if chained else None)
            mentions.append(DatasetMention(number, start, end, one.types.get(span, ()), chain))
            for box in own:
                if chain is not None:
                    boxes[box][chain] = None
    every = [DatasetBox(box, tuple(own)) for box, own in boxes.items()]
    every += [DatasetBox(box, category=category) for box, category in said.loose]
    if len(every) > MOST_BOXES:
        raise Defect(f"{said.where} has {len(every):,} boxes: at most {MOST_BOXES:,} are allowed")
    picture = None
    if found:
        picture = found.of(said.path)
        check_size(found.pictures, picture, said.width, said.height)
    chains = dict.fromkeys(one.chain for one in mentions if one.chain is not None)
    return DatasetImage(
        name=name,
        width=said.width,
        height=said.height,
        captions=tuple(captions),
        mentions=tuple(mentions),
        chains=tuple(map(DatasetChain, chains)),
        boxes=tuple(every),
        picture=picture,
        source=f"{said.file}:{said.where if said.line is None else said.line}",
        path=said.path,
        coco_id=said.coco_id,
    )


def _by_boxes(same: dict[frozenset[Box], str], boxes: Iterable[Box]) -> str | None:
    """Return the chain of a phrase with exactly these boxes, or None for one without boxes."""
    key = frozenset(boxes)
    return same.setdefault(key, f"boxes {len(same) + 1}") if key else None


def caption_text(value: object, where: str) -> str:
    """Return the text of a caption. Raises Defect for an empty or a very long one."""
    text = as_text(value, where)
    if not text.strip():
        raise Defect(f"{where} is empty")
    if len(text) > LONGEST_CAPTION:
        raise Defect(f"{where} has {len(text):,} characters: at most {LONGEST_CAPTION:,} are allowed")
    return text


def spans_of(value: object, text: str, where: str) -> list[Span]:
    """Return spans of characters, without white space at their ends. Raises Defect for others."""
    found = []
    rows = as_list(value, where)
    if len(rows) > MOST_PHRASES_OF_CAPTION:
        raise Defect(f"{where} has {len(rows):,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed")
    for row in rows:
        edges: list[Any] = as_list(row, where)
        if len(edges) != 2 or any(isinstance(one, bool) or not isinstance(one, int) for one in edges):
            raise Defect(f"{where} is not a list of pairs [from, to) of characters")
        start, end = edges
        if not 0 <= start < end <= len(text) or not text[start:end].strip():
            raise Defect(f"{where}: [{start}, {end}) is no part of a caption of {len(text)} characters")
        own = text[start:end]
        found.append((start + len(own) - len(own.lstrip()), end - len(own) + len(own.rstrip())))
    if not found:
        raise Defect(f"{where} is empty: it names no phrase")
    return found
