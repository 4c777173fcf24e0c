"""Lines of a file with their places. A line ends by LF, by CR LF, or by CR alone, as old programs for Macs write it."""

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from annotation.bounds import ROW_BYTES, TEXT_BYTES
from exchange.problems import Defect
from exchange.read_text import decode

_END = re.compile(rb"\r\n|\n|\r")
_PIECE = 1 << 13


class Position(NamedTuple):
    """A place in a file: the byte, and the line counted from 1."""

    byte: int
    line: int


class RawLine(NamedTuple):
    """A line with its end, and the place of the next one. Of a line that is far too long only the beginning is kept."""

    place: Position
    data: bytes
    following: Position


def raw_lines(file: BinaryIO, place: Position) -> Iterator[RawLine]:
    """Yield each line from this place on."""
    file.seek(place.byte)
    held, kept, size, over = b"", b"", 0, False
    while not over or held:
        found = _END.search(held)
        if not over and (found is None or (found[0] == b"\r" and found.end() == len(held))):
            # No end yet, or one that may be the first half of CR LF.
            ready = len(held) if found is None else 0
            kept, size, held = kept + held[: min(ready, TEXT_BYTES + 1 - len(kept))], size + ready, held[ready:]
            piece = file.read(_PIECE)
            held, over = held + piece, not piece
            continue
        end = found.end() if found else len(held)
        kept, size, held = kept + held[: min(end, TEXT_BYTES + 1 - len(kept))], size + end, held[end:]
        following = Position(place.byte + size, place.line + 1)
        yield RawLine(place, kept, following)
        place, kept, size = following, b"", 0
    if size:
        yield RawLine(place, kept, Position(place.byte + size, place.line + 1))


class Lines:
    """The lines of a file as text, with the place of the next line."""

    def __init__(self, file: BinaryIO, place: Position) -> None:
        self.place = place
        self.row_bytes = 0
        """Bytes of the lines that were read; the caller sets it to 0 at the beginning of a row."""
        self._lines = raw_lines(file, place)

    def __iter__(self) -> "Lines":
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
        line = next(self._lines)
        self.place = line.following
        return line.data
