"""The caption files of a plain folder, streamed: blocks of captions, each of one image, that can be found again."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from exchange.checks import as_list, as_text, member, parse_json
from exchange.problems import Defect, source_error
from exchange.read_text import decode


class Position(NamedTuple):
    """The byte and the line (from 1) at which something begins."""

    byte: int
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """Captions of one image that stand together, each with its line."""

    place: Position
    image: str
    texts: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """A place that could not be read; `image` is empty where it does not even say which image it concerns."""

    image: str
    defect: Defect


@dataclass(frozen=True, slots=True)
class JsonlFile:
    """captions.jsonl: {"image": ..., "captions": [...]} a line; a line is a block."""

    path: Path
    start: Position

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """The blocks from this place on."""
        for begin, data in _raw_lines(file, place):
            if not data.strip():
                continue
            value: object = None
            try:
                value = parse_json(decode(data))
                yield _json_block(begin, value)
            except Defect as defect:
                image = value.get("image") if isinstance(value, dict) else ""
                yield Bad(image if isinstance(image, str) else "", Defect(defect.message, begin.line))


@dataclass(frozen=True, slots=True)
class CsvFile:
    """captions.csv: a header with `image` and `caption`; rows of one image that stand together are a block."""

    path: Path
    start: Position
    columns: tuple[str, ...]

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """The blocks from this place on."""
        block: list[tuple[Position, str, str]] = []
        for row in self._rows(file, place):
            if block and (isinstance(row, Bad) or row[1] != block[0][1]):
                yield _block(block)
                block = []
            if isinstance(row, Bad):
                yield row
            else:
                block.append(row)
        if block:
            yield _block(block)

    def _rows(self, file: BinaryIO, place: Position) -> Iterator[tuple[Position, str, str] | Bad]:
        """Place, image and caption of every row. After a row that cannot be read the next line is tried."""
        lines = _Lines(file, place)
        reader = csv.reader(lines, strict=True)
        while True:
            place = lines.place
            try:
                row = next(reader)
                if row:
                    yield place, *self._cells(row)
            except StopIteration:
                return
            except (csv.Error, Defect) as error:
                # A quote that is never closed takes the following rows with it: begin again one line on.
                file.seek(place.byte)
                first = file.readline()
                yield Bad(self._image_of(first), Defect(f"row cannot be read: {_reason(error)}", place.line))
                lines = _Lines(file, Position(place.byte + len(first), place.line + 1))
                reader = csv.reader(lines, strict=True)

    def _cells(self, row: list[str]) -> tuple[str, str]:
        if len(row) != len(self.columns):
            raise Defect(f'{len(row)} fields, {len(self.columns)} in the header: write captions with commas as "..."')
        return row[self.columns.index("image")].strip(), row[self.columns.index("caption")]

    def _image_of(self, line: bytes) -> str:
        """What a row that cannot be read has for its image, as far as can be seen."""
        cells = line.decode("utf-8", "replace").rstrip("\r\n").split(",")
        column = self.columns.index("image")
        return cells[column].strip(' "') if column == 0 and len(cells) > 1 else ""


class _Lines:
    """The lines of a file as text, and the place of the line that comes next."""

    def __init__(self, file: BinaryIO, place: Position) -> None:
        self.place = place
        self._lines = _raw_lines(file, place)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        place, data = next(self._lines)
        self.place = Position(place.byte + len(data), place.line + 1)
        return decode(data, place.line)


def open_captions(path: Path) -> JsonlFile | CsvFile:
    """The caption file, its header read. Raises SourceError for a CSV file without the two columns."""
    if path.suffix == ".jsonl":
        return JsonlFile(path, Position(0, 1))
    with path.open("rb") as file:
        header = file.readline()
    try:
        columns = tuple(cell.strip().lower() for cell in next(csv.reader([decode(header)], strict=True), []))
    except (csv.Error, Defect) as error:
        raise source_error(path.name, f"the header cannot be read: {_reason(error)}", 1) from error
    if columns.count("image") != 1 or columns.count("caption") != 1:
        shown = decode(header).strip()[:60]
        raise source_error(path.name, f"begins with {shown!r}: the first line must be the header image,caption", 1)
    return CsvFile(path, Position(len(header), 2), columns)


def _raw_lines(file: BinaryIO, place: Position) -> Iterator[tuple[Position, bytes]]:
    file.seek(place.byte)
    byte, line = place
    while data := file.readline():
        yield Position(byte, line), data
        byte, line = byte + len(data), line + 1


def _json_block(place: Position, value: object) -> Block:
    image = as_text(member(value, "image", "the line"), "image")
    captions = as_list(member(value, "captions", "the line"), "captions")
    texts = tuple(as_text(text, f"captions[{index}]") for index, text in enumerate(captions))
    return Block(place, image, texts, (place.line,) * len(texts))


def _block(rows: list[tuple[Position, str, str]]) -> Block:
    return Block(rows[0][0], rows[0][1], tuple(row[2] for row in rows), tuple(row[0].line for row in rows))


def _reason(error: csv.Error | Defect) -> str:
    return error.message if isinstance(error, Defect) else str(error)
