"""The caption files of a plain folder, captions.csv and captions.jsonl, read as a stream of blocks of one image."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from typing_extensions import TypedDict

from annotation.bounds import MOST_CAPTIONS_TO_ANNOTATE, TEXT_BYTES
from exchange.checks import as_list, as_text, member, parse_json
from exchange.formats.captions_folder.lines import Lines, Position, raw_lines
from exchange.problems import Defect, source_error
from exchange.read_text import decode

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
__all__ = ["Bad", "Block", "CsvFile", "JsonlFile", "Position", "open_captions"]


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
    def said(self) -> str:
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
            read = {one: _columns(header, one) for one in SEPARATORS if not named or named[1] == one}
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
        if name not in cells and (other := next((one for one in others if one in cells), None)):
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
        """Yield the blocks from this place on."""
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
