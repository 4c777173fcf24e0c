"""Text files that are read, and edited, as streams: lines, entries of JSON, rows of XML, with their places."""

import codecs
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import Locator

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from annotation.bounds import ENTRY_CHARACTERS, ROW_BYTES, TEXT_BYTES
from exchange.checks import Defect, as_id, decode, parse_json, same_id

_END = re.compile(rb"\r\n|\n|\r")
_LINE_BYTES = 1 << 13


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
            piece = file.read(_LINE_BYTES)
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


def edit_lines(source: Path, target: Path, edited: Callable[[Any], Any]) -> None:
    """Write the file with other lines. `edited` is given the value of each, and returns another one; None: it stays."""
    with source.open("rb") as read, source.open("rb") as again, target.open("wb") as write:
        for place, _, following in raw_lines(read, Position(0, 1)):
            data = again.read(following.byte - place.byte)
            value = _edited_line(data, edited)
            if value is None:
                write.write(data)
                continue
            text, end = data.rstrip(b"\r\n"), data[len(data.rstrip(b"\r\n")) :]
            compact = b'": ' not in text
            ascii_only = text.isascii()
            separators = (",", ":") if compact else (", ", ": ")
            write.write(json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode() + end)


def _edited_line(data: bytes, edited: Callable[[Any], Any]) -> Any:
    """Return what takes the place of a line; None for one that stays, or that readers pass over."""
    try:
        return edited(parse_json(decode(data))) if data.strip() else None
    except Defect:
        return None


_PIECE = 1 << 18
_LONGEST_SIGN = 10
"""Characters before the end of a piece where an error may only mean that a literal or an escape goes on."""
_SPACE = re.compile(r"[ \t\r\n]*")


def json_entries(file: Path) -> Iterator[Any]:
    """Yield the entries of the list. Raises Defect, with the line, where the file is no list of JSON values.

    A character that is no UTF-8 is a Defect, too; control characters in texts are left to those who read these.
    """
    with file.open("rb") as source:
        yield from JsonText(source).entries()


class JsonText:
    """The text of a file from the entry on that is read now."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._text, self._at, self._line, self._ended = "", 0, 1, False

    def entries(self) -> Iterator[Any]:
        if self._next() != "[":
            raise Defect("does not begin like a list", self._line)
        self._step(self._at + 1)
        if self._next() == "]":
            self._step(self._at + 1)
        else:
            yield from self._until_end()
        if self._next():
            raise Defect("goes on behind the end of the list", self._line)

    def _until_end(self) -> Iterator[Any]:
        number = 0
        while True:
            self._next()
            yield self._value(number)
            sign = self._next()
            if sign not in (",", "]"):
                raise Defect(f"has no comma behind entry [{number}]" if sign else self._cut_off(number), self._line)
            self._step(self._at + 1)
            if sign == "]":
                return
            number += 1

    def _value(self, number: int) -> Any:
        """Return the value that begins here. An entry may need more of the file than is there so far."""
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_SIGN
                if cut and self._more():
                    continue
                raise self._defect(error, number) from error
            except (RecursionError, ValueError) as error:
                raise Defect(f"[{number}] is not JSON that can be read: {error}", self._line) from error
            if end == len(self._text) and self._more():
                continue  # a number may go on
            self._step(end)
            return value

    def _defect(self, error: json.JSONDecodeError, number: int) -> Defect:
        """Return what is wrong with the entry that begins here: too long, cut off, or no JSON."""
        if len(self._text) - self._at > ENTRY_CHARACTERS:
            return Defect(f"[{number}] has more than {ENTRY_CHARACTERS:,} characters", self._line)
        if error.msg.startswith("Unterminated") or error.pos >= len(self._text.rstrip()):
            return Defect(self._cut_off(number), self._line)
        line = self._line + self._text.count("\n", self._at, error.pos)
        return Defect(f"[{number}] is not JSON: {error.msg}", line)

    def _next(self) -> str:
        """Return the next character that is no white space, without taking it; empty at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self._step(found.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _step(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _more(self) -> bool:
        """Read as much again as is there of the entry, and drop what lies before it. False at the end or the bound."""
        rest = len(self._text) - self._at
        if self._ended or rest > ENTRY_CHARACTERS:
            return False
        data = self._source.read(max(_PIECE, rest))
        self._ended = not data
        try:
            self._text, self._at = self._text[self._at :] + self._decoder.decode(data, final=self._ended), 0
        except UnicodeDecodeError as error:
            raise Defect(f"is not UTF-8 (byte 0x{error.object[error.start]:02x}): save the file as UTF-8") from error
        return True

    def _cut_off(self, number: int) -> str:
        return f"ends within the list, in entry [{number}] or behind"


Edited = Callable[[str, Any], Sequence[Any] | None]
"""Given the key of a list and an entry, returns the values that take the entry's place; None: it stays."""
Added = Callable[[str], Iterable[Any]]
"""Given the key of a list, returns the values to add behind its last entry."""


def entries_of(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield the entries of all lists of a file, each with the key of its list; a file that is one list has the key "".

    Raises Defect for a file that is neither a list nor an object.
    """
    found: list[tuple[str, Any]] = []
    with file.open("rb") as source:
        for _ in _Copy(source, _Nowhere()).steps(lambda key, value: found.append((key, value)), lambda key: ()):
            yield from found
            found.clear()


def edit_json(source: Path, target: Path, edited: Edited, added: Added = lambda key: ()) -> None:
    """Write the file with other entries. Raises Defect as `entries_of`."""
    with source.open("rb") as read, target.open("w", encoding="utf-8", newline="") as write:
        if read.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
            write.write("\ufeff")
        read.seek(0)
        for _ in _Copy(read, write).steps(edited, added):
            pass


def id_in(entry: Any, key: str) -> int | str:
    """Return an id of an entry; empty without one, as in entries that readers leave out."""
    try:
        return same_id(as_id(entry.get(key), "")) if isinstance(entry, dict) else ""
    except Defect:
        return ""


class _Writes(Protocol):
    def write(self, text: str, /) -> int: ...


class _Nowhere:
    def write(self, text: str, /) -> int:
        return len(text)


class _Copy(JsonText):
    """The text of a file, which is written while it is read."""

    def __init__(self, source: Any, target: _Writes) -> None:
        super().__init__(source)
        self._target, self._passed = target, list[str]()
        self._style: dict[str, Any] = {"ensure_ascii": False}

    def steps(self, edited: Edited, added: Added) -> Iterator[None]:
        """Write the whole file, a step for each entry."""
        if self._next() == "[":
            yield from self._list("", edited, added)
        elif self._next() == "{":
            yield from self._object(edited, added)
        else:
            raise Defect("is neither a list nor an object", self._line)
        self._next()
        self._target.write(self._taken())

    def _object(self, edited: Edited, added: Added) -> Iterator[None]:
        self._step(self._at + 1)
        while self._next() not in ("}", ""):
            key = self._value(0)
            self._next()
            self._step(self._at + 1)  # the colon
            if self._next() == "[":
                yield from self._list(str(key), edited, added)
            else:
                self._value(0)
            if self._next() == ",":
                self._step(self._at + 1)
        self._step(min(self._at + 1, len(self._text)))

    def _list(self, key: str, edited: Edited, added: Added) -> Iterator[None]:
        self._step(self._at + 1)
        self._target.write(self._taken())
        lead, separator, written = "", ", ", False
        number, end = 0, self._next() == "]"
        while not end:
            self._next()
            between = self._taken()
            lead, separator = (lead, between) if number else (between, separator)
            value = self._value(number)
            raw = self._taken()
            for text in self._texts(raw, edited(key, value)):
                self._target.write((separator if written else lead) + text)
                written = True
            yield
            sign = self._next()
            if sign not in (",", "]"):
                raise Defect(f"has no comma behind entry [{number}] of {key or 'the list'}", self._line)
            end, number = sign == "]", number + 1
            if not end:
                self._step(self._at + 1)
        tail = self._taken()
        for value in added(key):
            self._target.write((separator if written else lead) + json.dumps(value, **self._style))
            written = True
        self._target.write(tail)
        self._step(self._at + 1)

    def _texts(self, raw: str, values: Sequence[Any] | None) -> list[str]:
        """Return the text of an entry, or of what takes its place, written like it."""
        if '"' in raw:
            compact = '":' in raw and '": ' not in raw
            self._style = {"ensure_ascii": raw.isascii(), "separators": (",", ":") if compact else (", ", ": ")}
        return [raw] if values is None else [json.dumps(value, **self._style) for value in values]

    def _taken(self) -> str:
        text = "".join(self._passed)
        self._passed.clear()
        return text

    def _step(self, to: int) -> None:
        self._passed.append(self._text[self._at : to])
        super()._step(to)


_XML_PIECE = 1 << 16
_MOST_INSIDE = 20_000
"""Elements of one row: 1,000 boxes with a dozen attributes each fit."""


@dataclass(slots=True)
class Element:
    """An element: its first line, attributes, own text, and what is in it."""

    tag: str
    line: int
    values: dict[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, tag: str) -> list["Element"]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def only(self, tag: str) -> "Element":
        """Return the only child with this tag. Raises Defect with the line if there is none or more than one."""
        found = self.all(tag)
        if len(found) != 1:
            raise Defect(f"<{self.tag}> has {len(found)} <{tag}> where one belongs", self.line)
        return found[0]

    def value(self, key: str) -> str:
        """Return an attribute. Raises Defect with the line if there is none."""
        if key not in self.values:
            raise Defect(f"<{self.tag}> has no {key}", self.line)
        return self.values[key]


class _Rows(ContentHandler):
    """Keeps elements with the wanted tags below the root, until they are taken; all others are passed over."""

    def __init__(self, root: str, tags: Collection[str], place: Locator) -> None:
        super().__init__()
        self.done: list[Element] = []
        self._root, self._tags, self._place = root, tags, place
        self._depth, self._inside, self._characters = 0, 0, 0
        self._open: list[Element] = []
        self._pieces: list[list[str]] = []

    def startElement(self, name: str, attrs: Any) -> None:
        line = self._place.getLineNumber() or 0
        if not self._depth and name != self._root:
            raise Defect(f"<{name}> where <{self._root}> belongs", line)
        self._depth += 1
        if not self._open and (self._depth != 2 or name not in self._tags):
            return
        element = Element(name, line, dict(attrs.items()))
        if self._open:
            self._open[-1].children.append(element)
            self._inside += 1
            if self._inside > _MOST_INSIDE:
                raise Defect(f"<{self._open[0].tag}> has more than {_MOST_INSIDE:,} elements", self._open[0].line)
        else:
            self._inside = self._characters = 0
        self._open.append(element)
        self._pieces.append([])

    def characters(self, content: str) -> None:
        if self._open:
            self._characters += len(content)
            if self._characters > TEXT_BYTES:
                raise Defect(f"<{self._open[0].tag}> has more than {TEXT_BYTES:,} characters", self._open[0].line)
            self._pieces[-1].append(content)

    def endElement(self, name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            element.text = "".join(self._pieces.pop())
            if not self._open:
                self.done.append(element)


def xml_rows(source: BinaryIO, root: str, tags: Collection[str]) -> Iterator[Element]:
    """Yield the elements with these tags below the root, in the order of the file.

    Raises Defect with the line for broken XML, another root, a document type, and a row that is far too large.
    """
    parser = DefusedExpatParser(forbid_dtd=True)
    rows = _Rows(root, tags, parser)
    parser.setContentHandler(rows)
    try:
        parser.feed(b"")  # an empty file is broken, too
        while piece := source.read(_XML_PIECE):
            parser.feed(piece)
            yield from rows.done
            rows.done.clear()
        parser.close()
    except SAXParseException as error:
        raise Defect(f"broken XML: {error.getMessage()}", error.getLineNumber()) from error
    except DefusedXmlException as error:
        raise Defect("has a document type or entities, which are refused: remove the <!DOCTYPE ...>") from error
    except (SAXException, ValueError, LookupError) as error:
        raise Defect(f"broken XML: {error}") from error
    yield from rows.done
