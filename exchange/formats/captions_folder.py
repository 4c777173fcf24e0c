"""Plain folders: pictures with a table of captions, phrases in brackets or not marked."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from typing_extensions import TypedDict

from annotation.bounds import MOST_BAD_LINES, MOST_CAPTIONS_TO_ANNOTATE, TABLE_BYTES, TEXT_BYTES
from exchange.checks import Defect, as_list, as_text, decode, member, parse_json, source_error
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention, Problem
from exchange.details import Details
from exchange.formats.format import Format
from exchange.formats.pictures import FolderPictures, FoundPictures, SourcePictures, size_of
from exchange.formats.schema.kind import FileKind
from exchange.formats.spans import unnamed
from exchange.formats.text_streams import Lines, Position, raw_lines
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.split_captions import NOT_VISUAL, MarkedCaption, parse_markup, parse_types, tokenized_caption

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""The characters that may stand between columns: Excel writes each of them, by the country that it is set to."""
_NAMES = {"image": ("file_name", "filename", "image_name"), "caption": ("captions", "text", "comment")}
"""Other names of the two columns, as tables of the hub and of Flickr30k have them."""
_NUMBERED = re.compile(r"[^\s#,;]+#[0-9]+\t")
_SEPARATOR_LINE = re.compile("sep=(.)", re.IGNORECASE)
_SPACED_QUOTE = re.compile('\\s+"')
_REASONS = {
    "unexpected end of data": "a quote opens in it and is never closed",
    "expected after": "after a closing quote only a separator may follow: write a quote inside a caption twice",
}
"""Reasons for which Python cannot read a row, each in words that help."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive captions of one image, each with its line."""

    place: Position
    image: str
    texts: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """A place that cannot be read; `image` is empty if the image is unknown."""

    image: str
    defect: Defect


class CaptionsLine(TypedDict):
    """An image with its captions: a line of captions.jsonl."""

    image: str
    """The path of its picture."""
    captions: Sequence[str]
    """The captions; phrases in brackets, [a man] or [/people a man], if they are marked."""


class CsvRow(NamedTuple):
    """One caption of a CSV file."""

    place: Position
    image: str
    caption: str


@dataclass(frozen=True, slots=True)
class CsvFile:
    """The file with its columns in order; consecutive rows of one image are a block."""

    path: Path
    start: Position
    columns: tuple[str, ...]
    separator: str = ","
    numbered: bool = False
    """Whether # and the number of the caption follow the image: then nothing is in quotes, and there is no header."""

    @property
    def described(self) -> str:
        """Return how the file is read, as a sentence."""
        return f"{self.path.name} has the columns {', '.join(self.columns)}, with {SEPARATORS[self.separator]} between."

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """Yield the blocks from this place on."""
        block: list[CsvRow] = []
        for row in self._rows(file, place):
            if block and (isinstance(row, Bad) or row.image != block[0].image):
                yield _block(block)
                block = []
            if isinstance(row, Bad):
                yield row
            elif len(block) <= MOST_CAPTIONS_TO_ANNOTATE:  # one more than allowed is enough to refuse the image
                block.append(row)
        if block:
            yield _block(block)

    def _rows(self, file: BinaryIO, place: Position) -> Iterator[CsvRow | Bad]:
        """Yield every row. After a row that cannot be read, reading goes on at the next line."""
        lines = Lines(file, place)
        reader = self._reader(lines)
        while True:
            place = lines.place
            lines.row_bytes = 0
            try:
                row = next(reader)
                if any(map(_SPACED_QUOTE.match, row)):
                    row, beyond = self._with_spaced_quotes(file, place) or (row, lines.place)
                    lines = Lines(file, beyond)
                    reader = self._reader(lines)
                if row:
                    yield self._row(place, row)
            except StopIteration:
                return
            except (csv.Error, Defect) as error:
                # An unclosed quote swallows the rows that follow: begin again at the next line.
                following = Lines(file, place)
                first = following.skip()
                yield Bad(self._image_of(first), Defect(f"row cannot be read: {_reason(error)}", place.line))
                lines = Lines(file, following.place)
                reader = self._reader(lines)

    def _reader(self, lines: Lines, *, spaces: bool = False) -> Iterator[list[str]]:
        if self.numbered:
            return csv.reader(lines, strict=True, delimiter=self.separator, quoting=csv.QUOTE_NONE)
        return csv.reader(lines, strict=True, delimiter=self.separator, skipinitialspace=spaces)

    def _with_spaced_quotes(self, file: BinaryIO, place: Position) -> tuple[list[str], Position] | None:
        """Read the row here with quotes that spaces precede; None if they are not quotes around a whole field."""
        lines = Lines(file, place)
        try:
            return next(self._reader(lines, spaces=True)), lines.place
        except (csv.Error, Defect, StopIteration):
            return None

    def _row(self, place: Position, row: list[str]) -> CsvRow:
        if len(row) != len(self.columns):
            counted = f"{len(row)} fields, {len(self.columns)} in the header"
            raise Defect(f'{counted}: write captions with {SEPARATORS[self.separator]} as "..."')
        image, caption = row[self.columns.index("image")].strip(), row[self.columns.index("caption")]
        return CsvRow(place, image.partition("#")[0] if self.numbered else image, caption)

    def _image_of(self, line: bytes) -> str:
        """Return the image of a row that cannot be read, if it can be told; otherwise an empty text."""
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        column = self.columns.index("image")
        cells = text.split(self.separator)
        if column > 0:  # a separator in an earlier cell would move the image's: only a whole row tells it
            with suppress(csv.Error):
                cells = next(csv.reader([text], delimiter=self.separator), [])
            return cells[column].strip() if len(cells) == len(self.columns) else ""
        return cells[0].strip(' "') if len(cells) > 1 else ""


def open_csv(path: Path) -> CsvFile:
    """Read the header. Raises SourceError for a file without the two columns, each once."""
    with path.open("rb") as file:
        lines = Lines(file, Position(0, 1))
        try:
            header = next(lines, "")
            named = _SEPARATOR_LINE.fullmatch(header.strip("\r\n"))  # a line of Excel's
            if named:
                header = next(lines, "")
            read = {
                separator: _columns(header, separator) for separator in SEPARATORS if not named or named[1] == separator
            }
        except (csv.Error, Defect) as error:
            raise source_error(path.name, f"the header cannot be read: {_reason(error)}", 1) from error
    for separator, columns in read.items():
        if columns.count("image") == columns.count("caption") == 1:
            return CsvFile(path, lines.place, columns, separator)
    if _NUMBERED.match(header):  # as Flickr8k was first published: a.jpg#0, a tab, and the caption
        return CsvFile(path, Position(0, 1), ("image", "caption"), "\t", numbered=True)
    raise source_error(
        path.name,
        f"begins with {header.strip()[:60]!r}: the first line must be the header image,caption "
        "(semicolons or tabs may stand between, too)",
        1,
    )


def _columns(header: str, separator: str) -> tuple[str, ...]:
    rows = csv.reader([header], strict=True, delimiter=separator, skipinitialspace=separator != "\t")
    cells = [cell.strip().lower() for cell in next(rows, [])]
    for name, others in _NAMES.items():
        if name not in cells and (other := next((candidate for candidate in others if candidate in cells), None)):
            cells[cells.index(other)] = name
    return tuple(cells)


def _block(rows: list[CsvRow]) -> Block:
    first = rows[0]
    return Block(first.place, first.image, tuple(row.caption for row in rows), tuple(row.place.line for row in rows))


def _reason(error: csv.Error | Defect) -> str:
    if isinstance(error, Defect):
        return error.message
    return next((said for sign, said in _REASONS.items() if sign in str(error)), str(error))


@dataclass(frozen=True, slots=True)
class JsonlFile:
    """captions.jsonl: each line is a block, {"image": ..., "captions": [...]}."""

    path: Path
    start: Position

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        for begin, data, _ in raw_lines(file, place):
            if not data.strip():
                continue
            value: object = None
            try:
                if len(data) > TEXT_BYTES:
                    raise Defect(f"the line has more than {TEXT_BYTES:,} bytes: no image has captions of that size")
                value = parse_json(decode(data))
                yield _json_block(begin, value)
            except Defect as defect:
                image = value.get("image") if isinstance(value, dict) else ""
                yield Bad(image if isinstance(image, str) else "", Defect(defect.message, begin.line))


def open_captions(path: Path) -> JsonlFile | CsvFile:
    """Open the caption file and read its header. Raises SourceError for a CSV file without the two columns."""
    return JsonlFile(path, Position(0, 1)) if path.suffix == ".jsonl" else open_csv(path)


def _json_block(place: Position, value: object) -> Block:
    image = as_text(member(value, "image", "the line"), "image")
    captions = as_list(member(value, "captions", "the line"), "captions")
    texts = tuple(as_text(text, f"captions[{index}]") for index, text in enumerate(captions))
    return Block(place, image, texts, (place.line,) * len(texts))


CAPTION_FILES = ("captions.csv", "captions.jsonl", "captions.txt")
PICTURE_FOLDER = "images"


@dataclass(slots=True)
class _Entry:
    """The places of one picture path's captions, and what is wrong with them."""

    places: list[Position] = field(default_factory=list)
    bad: list[Defect] = field(default_factory=list)


def read_folder(path: Path, pictures: SourcePictures | None = None) -> Iterator[DatasetImage | Problem]:
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
    def __init__(self, pictures: SourcePictures, captions: CsvFile | JsonlFile, file: BinaryIO) -> None:
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
            if isinstance(block, Block):
                self.entries.setdefault(block.image, _Entry()).places.append(block.place)
            elif block.image:
                self.entries.setdefault(block.image, _Entry()).bad.append(block.defect)
            else:
                self.problems.append(unnamed(block.defect, self.shown, f"line {block.defect.line}"))

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
        block, *others = (self._block(place) for place in self.entries[value].places)
        for other in others:
            if other.texts != block.texts:
                message = f"{value} has other captions at line {block.place.line}: put all its captions together"
                raise Defect(message, other.place.line)
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
    for empty_caption in empty:
        details.add(f"{empty_caption.message}: it is left out", empty_caption.line)
    return tuple(captions), tuple(mentions)


def _bracketed_caption(marked: MarkedCaption, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
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


def describe_columns(path: Path) -> str:
    """Describe how the table of captions is read; empty without one. Raises SourceError if its header is not clear."""
    tables = [path / name for name in CAPTION_FILES if not name.endswith(".jsonl")]
    return next((open_csv(table).described for table in tables if table.is_file()), "")


CAPTIONS_FOLDER = Format(
    name="folder",
    title="pictures with a table of captions",
    marks="captions.csv, captions.txt or captions.jsonl",
    detects=lambda path: any((path / name).is_file() for name in CAPTION_FILES),
    read=read_folder,
    describe_columns=describe_columns,
    kinds=(FileKind("captions", "captions.jsonl of pictures to import", CaptionsLine, passes_over=True),),
)
