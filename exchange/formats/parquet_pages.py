"""The pages of a column in a Parquet file: what each takes once it is unpacked, which the end of the file may not say.

A page is unpacked into as much memory as its header asks for. Headers are structs of Thrift's compact protocol.
"""

from collections.abc import Iterator
from typing import Any

Data = Any
"""Bytes, or a file that is mapped into memory."""
_VARINTS, _BYTE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (4, 5, 6), 3, 7, 8, (9, 10), 12
_UNPACKED, _PACKED = 2, 3
"""Fields of a header."""
_LONG = 15
_DEEPEST, _MOST_LISTED = 8, 1_000
_TRUTHS = (1, 2)
"""True and false, which have no bytes of their own."""


def page_sizes(data: Data, start: int, end: int) -> Iterator[int]:
    """Yield the unpacked bytes of each page from `start` on, as its header says, up to a header that is broken."""
    while 0 < start < end:
        try:
            sizes, start = _struct(data, start)
        except (IndexError, ValueError):
            return
        yield sizes.get(_UNPACKED, 0)
        if sizes.get(_PACKED, -1) < 0:
            return
        start += sizes[_PACKED]


def _struct(data: Data, at: int, depth: int = 0) -> tuple[dict[int, int], int]:
    """Return the whole numbers of the struct here by their fields, and the place behind it."""
    if depth > _DEEPEST:
        raise ValueError
    found: dict[int, int] = {}
    field = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            field, at = _signed(data, at)
        kind = head & 15
        if kind in _VARINTS:
            found[field], at = _signed(data, at)
        else:
            at = _behind(data, at, kind, depth)
    return found, at + 1


def _behind(data: Data, at: int, kind: int, depth: int) -> int:
    """Return the place behind a value of this kind."""
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)[1]
    if kind == _BINARY:
        size, at = _varint(data, at)
        return at + size
    if kind in _LISTS:
        size, inner = data[at] >> 4, data[at] & 15
        size, at = _varint(data, at + 1) if size == _LONG else (size, at + 1)
        if size > _MOST_LISTED:
            raise ValueError
        for _ in range(size):
            at = _signed(data, at)[1] if inner in _VARINTS else _behind(data, at, inner, depth + 1)
        return at
    if kind in _TRUTHS:
        return at
    if kind in (_BYTE, _DOUBLE):
        return at + (1 if kind == _BYTE else 8)
    raise ValueError


def _varint(data: Data, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while shift < 70:
        number |= (data[at] & 127) << shift
        if data[at] < 128:
            return number, at + 1
        at, shift = at + 1, shift + 7
    raise ValueError


def _signed(data: Data, at: int) -> tuple[int, int]:
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at
