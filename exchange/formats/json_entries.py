"""The entries of a JSON file that is one long list, read one by one: any file takes the memory of an entry."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import ENTRY_CHARACTERS
from exchange.problems import Defect

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
