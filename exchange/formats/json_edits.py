"""Edits in a JSON file of lists: the entries that change are written anew, all other text stays as it is.

The file is read as a stream, so that any takes the memory of an entry.
"""

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from exchange.checks import as_id, same_id
from exchange.formats.json_entries import JsonText
from exchange.problems import Defect

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
