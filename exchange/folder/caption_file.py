"""The caption files of a plain folder, read as a stream of blocks; each block holds captions of one image."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from annotation.bounds import MOST_CAPTIONS, ROW_BYTES, TEXT_BYTES
from exchange.checks import as_list, as_text, member, parse_json
from exchange.problems import Defect, source_error
from exchange.read_text import decode


class Position(NamedTuple):
    """A place in a file: the byte, and the line counted from 1."""

    byte: int
    line: int


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


@dataclass(frozen=True, slots=True)
class JsonlFile:
    """captions.jsonl: each line is a block, {"image": ..., "captions": [...]}."""

    path: Path
    start: Position

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """Yield the blocks from this place on."""
        for begin, data in _raw_lines(file, place):
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


class CsvRow(NamedTuple):
    """One caption of a CSV file."""

    place: Position
    image: str
    caption: str


@dataclass(frozen=True, slots=True)
class CsvFile:
    """captions.csv: a header with `image` and `caption`; consecutive rows of one image are a block."""

    path: Path
    start: Position
    columns: tuple[str, ...]

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """Yield the blocks from this place on."""
        block: list[CsvRow] = []
        for row in self._rows(file, place):
            if block and (isinstance(row, Bad) or row.image != block[0].image):
                yield _block(block)
                block = []
            if isinstance(row, Bad):
                yield row
            elif len(block) <= MOST_CAPTIONS:  # one more than allowed is enough to refuse the image
                block.append(row)
        if block:
            yield _block(block)

    def _rows(self, file: BinaryIO, place: Position) -> Iterator[CsvRow | Bad]:
        """Yield every row. After a row that cannot be read, reading goes on at the next line."""
        lines = _Lines(file, place)
        reader = csv.reader(lines, strict=True)
        while True:
            place = lines.place
            lines.row_bytes = 0
            try:
                row = next(reader)
                if row:
                    yield self._row(place, row)
            except StopIteration:
                return
            except (csv.Error, Defect) as error:
                # An unclosed quote swallows the rows that follow: begin again at the next line.
                following = _Lines(file, place)
                first = following.skip()
                yield Bad(self._image_of(first), Defect(f"row cannot be read: {_reason(error)}", place.line))
                lines = _Lines(file, following.place)
                reader = csv.reader(lines, strict=True)

    def _row(self, place: Position, row: list[str]) -> CsvRow:
        if len(row) != len(self.columns):
            raise Defect(f'{len(row)} fields, {len(self.columns)} in the header: write captions with commas as "..."')
        return CsvRow(place, row[self.columns.index("image")].strip(), row[self.columns.index("caption")])

    def _image_of(self, line: bytes) -> str:
        """Return the image of a row that cannot be read, if it can be told; otherwise an empty text."""
        cells = line.decode("utf-8", "replace").rstrip("\r\n").split(",")
        column = self.columns.index("image")
        return cells[column].strip(' "') if column == 0 and len(cells) > 1 else ""


class _Lines:
    """The lines of a file as text, with the place of the next line."""

    def __init__(self, file: BinaryIO, place: Position) -> None:
        self.place = place
        self.row_bytes = 0
        """Bytes of the lines that were read; the caller sets it to 0 at the beginning of a row."""
        self._file = file
        self._lines = _raw_lines(file, place)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self.place.line
        data = self.skip()
        self.row_bytes += len(data)
        if self.row_bytes > ROW_BYTES:
            raise Defect(f"the row has more than {ROW_BYTES:,} bytes: a quote may be missing", line)
        return decode(data, line)

    def skip(self) -> bytes:
        """Read the next line without a look at it, and return its beginning."""
        place, data = next(self._lines)
        self.place = Position(self._file.tell(), place.line + 1)
        return data


def open_captions(path: Path) -> JsonlFile | CsvFile:
    """Open the caption file and read its header. Raises SourceError for a CSV file without the two columns."""
    if path.suffix == ".jsonl":
        return JsonlFile(path, Position(0, 1))
    with path.open("rb") as file:
        header = file.readline(ROW_BYTES)
    try:
        columns = tuple(cell.strip().lower() for cell in next(csv.reader([decode(header)], strict=True), []))
    except (csv.Error, Defect) as error:
        raise source_error(path.name, f"the header cannot be read: {_reason(error)}", 1) from error
    if columns.count("image") != 1 or columns.count("caption") != 1:
        shown = decode(header).strip()[:60]
        raise source_error(path.name, f"begins with {shown!r}: the first line must be the header image,caption", 1)
    return CsvFile(path, Position(len(header), 2), columns)


def _raw_lines(file: BinaryIO, place: Position) -> Iterator[tuple[Position, bytes]]:
    """Yield each line with its place. Of a line that is far too long only the beginning is kept."""
    file.seek(place.byte)
    byte, line = place
    while data := file.readline(TEXT_BYTES + 1):
        rest = data
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(TEXT_BYTES)
        end = file.tell()
        yield Position(byte, line), data
        byte, line = end, line + 1


def _json_block(place: Position, value: object) -> Block:
    image = as_text(member(value, "image", "the line"), "image")
    captions = as_list(member(value, "captions", "the line"), "captions")
    texts = tuple(as_text(text, f"captions[{index}]") for index, text in enumerate(captions))
    return Block(place, image, texts, (place.line,) * len(texts))


def _block(rows: list[CsvRow]) -> Block:
    first = rows[0]
    return Block(first.place, first.image, tuple(row.caption for row in rows), tuple(row.place.line for row in rows))


def _reason(error: csv.Error | Defect) -> str:
    return error.message if isinstance(error, Defect) else str(error)
