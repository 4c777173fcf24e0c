"""The reader for a plain folder: pictures with captions.csv or captions.jsonl, phrases in brackets or not marked."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotation.bounds import MOST_BAD_LINES, MOST_CAPTIONS_TO_ANNOTATE, TABLE_BYTES
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention, Problem
from exchange.details import Details
from exchange.formats.captions_folder.caption_file import Bad, Block, CsvFile, JsonlFile, Position, open_captions
from exchange.formats.find_pictures import FoundPictures
from exchange.formats.picture_files import FolderPictures, Pictures, size_of
from exchange.formats.spans import unnamed
from exchange.markup import NOT_VISUAL, Marked, parse_markup, parse_types
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.problems import Defect, source_error
from exchange.words import tokenized_caption

CAPTION_FILES = ("captions.csv", "captions.jsonl", "captions.txt")
PICTURE_FOLDER = "images"


@dataclass(slots=True)
class _Entry:
    """The places of one picture path's captions, and what is wrong with them."""

    places: list[Position] = field(default_factory=list)
    bad: list[Defect] = field(default_factory=list)


def read_folder(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names. The caption file is read twice: for an index, then by image.

    Pictures lie anywhere in the folder. If an image has any bracket (`[/people a man]`), its phrases
    are those in brackets; otherwise its captions are not chunked. `pictures` are the source's pictures if they are not
    in its folder. Raises SourceError if there is no caption file, or two, or one without a header.
    """
    files = [path / name for name in CAPTION_FILES if (path / name).is_file()]
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} of {' and '.join(CAPTION_FILES)}: it needs one of them")
    if (size := files[0].stat().st_size) > TABLE_BYTES:
        raise source_error(files[0].name, f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
    captions = open_captions(files[0])
    with ExitStack() as stack:
        file = stack.enter_context(files[0].open("rb"))
        reader = _Reader(pictures or FolderPictures(path), captions, file)
        yield from reader.read()
        yield from reader.without_captions()


class _Reader:
    def __init__(self, pictures: Pictures, captions: CsvFile | JsonlFile, file: BinaryIO) -> None:
        self.pictures = pictures
        self.captions = captions
        self.file = file
        self.shown = captions.path.name
        self.entries: dict[str, _Entry] = {}
        self.problems: list[Problem] = []
        bad = 0
        for block in captions.blocks(file, captions.start):
            bad += isinstance(block, Bad)
            if bad > MOST_BAD_LINES:
                message = f"has more than {MOST_BAD_LINES:,} lines that cannot be read: mend the first and try again"
                raise source_error(self.shown, message)
            self._index(block)

    def read(self) -> Iterator[DatasetImage | Problem]:
        same: dict[str, list[str]] = {}
        unusable = []
        for value, entry in self.entries.items():
            try:
                image_name(value)
                same.setdefault(same_path(value), []).append(value)
            except Defect as defect:
                defects = entry.bad or [Defect(defect.message, _line(entry))]
                unusable += [unnamed(bad, self.shown, f"line {bad.line}", value) for bad in defects]
        usable = [values[0] for values in same.values() if len(values) == 1]
        self.found = FoundPictures(self.pictures, usable, folders=(PICTURE_FOLDER,))
        self.found.check(self.shown)
        yield from self.problems
        yield from unusable
        for values in same.values():
            for value in values if len(values) > 1 else ():
                message = f"{value} is there twice, with letters that only look the same: write both alike"
                yield Problem(self.shown, _line(self.entries[value]), value, message)
        names = names_of(usable)
        for value in sorted(usable, key=lambda one: natural_key(names[one])):
            yield from self._read_named(names[value], value)

    def without_captions(self) -> Iterator[Problem]:
        """Yield a problem for each picture that the caption file does not name."""
        for picture in self.found.unused():
            shown = picture.encode(errors="backslashreplace").decode()  # a file may have a name that is not text
            yield Problem(shown, None, shown, f"has no captions in {self.shown}", key=f"picture {shown}")

    def _index(self, block: Block | Bad) -> None:
        if isinstance(block, Block):
            self.entries.setdefault(block.image, _Entry()).places.append(block.place)
        elif block.image:
            self.entries.setdefault(block.image, _Entry()).bad.append(block.defect)
        else:
            self.problems.append(unnamed(block.defect, self.shown, f"line {block.defect.line}"))

    def _read_named(self, name: str, value: str) -> Iterator[DatasetImage | Problem]:
        defects = list(self.entries[value].bad)
        if not defects:
            details = Details(self.shown, value)
            try:
                image = self._image(name, value, details)
                yield from details.found
                yield image
            except Defect as defect:
                defects.append(defect)
        yield from (defect.problem(self.shown, value) for defect in defects)

    def _image(self, name: str, value: str, details: Details) -> DatasetImage:
        block = self._captions(value)
        captions, mentions = parse_captions(block, details)
        try:
            picture = self.found.of(value)
            width, height = size_of(self.pictures, picture)
        except Defect as defect:
            raise Defect(defect.message, block.place.line) from defect
        return DatasetImage(
            name=name,
            width=width,
            height=height,
            captions=captions,
            mentions=mentions,
            picture=picture,
            source=f"{self.shown}:{block.place.line}",
            path=value,
        )

    def _captions(self, value: str) -> Block:
        """Return the image's captions. They may occur twice if they are the same; raises Defect if they differ."""
        first, *others = (self._block(place) for place in self.entries[value].places)
        for other in others:
            if other.texts != first.texts:
                message = f"{value} has other captions at line {first.place.line}: put all its captions together"
                raise Defect(message, other.place.line)
        return first

    def _block(self, place: Position) -> Block:
        block = next(self.captions.blocks(self.file, place))
        if isinstance(block, Bad):  # the first reading succeeded
            raise Defect("the file changed while it was read: import it again", place.line)
        return block


def parse_captions(block: Block, details: Details) -> tuple[tuple[DatasetCaption, ...], tuple[DatasetMention, ...]]:
    """Return the captions of an image and their phrases. Captions and brackets without words are left out.

    Raises Defect with the line for brackets that do not match, and for an image without any caption.
    """
    if not block.texts:
        raise Defect("has no captions", block.place.line)
    if len(block.texts) > MOST_CAPTIONS_TO_ANNOTATE:
        raise Defect(f"has more than {MOST_CAPTIONS_TO_ANNOTATE} captions", block.place.line)
    bracketed = any("[" in text or "]" in text for text in block.texts)
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    empty: list[Defect] = []
    for text, line in zip(block.texts, block.lines, strict=True):
        if not text.strip():
            empty.append(Defect("the caption is empty", line))
            continue
        if not bracketed:
            captions.append(tokenized_caption(text))
            continue
        try:
            marked = parse_markup(text)
            caption, found = _bracketed_caption(marked, len(captions))
        except Defect as defect:
            raise Defect(defect.message, line) from defect
        empty += [Defect(why, line) for why in marked.empty]
        if marked.words:
            captions.append(caption)
            mentions += found
    if not captions:
        raise empty[0]
    for one in empty:
        details.add(f"{one.message}: it is left out", one.line)
    return tuple(captions), tuple(mentions)


def _bracketed_caption(marked: Marked, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    mentions = []
    non_visual = []
    for phrase in marked.phrases:
        if phrase.tag == NOT_VISUAL:
            non_visual.append((phrase.start, phrase.end))
            continue
        types = () if phrase.tag is None else parse_types(phrase.tag.split("/"))
        mentions.append(DatasetMention(number, phrase.start, phrase.end, types))
    return DatasetCaption(marked.text, marked.words, marked.offsets, tuple(non_visual)), mentions


def _line(entry: _Entry) -> int | None:
    lines = [place.line for place in entry.places] + [defect.line for defect in entry.bad if defect.line]
    return min(lines, default=None)
