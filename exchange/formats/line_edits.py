"""Edits in a file of JSON Lines: the lines that change are written anew, all other bytes stay as they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exchange.checks import parse_json
from exchange.formats.captions_folder.lines import Position, raw_lines
from exchange.problems import Defect
from exchange.read_text import decode


def edit_lines(source: Path, target: Path, edited: Callable[[Any], Any]) -> None:
    """Write the file with other lines. `edited` is given the value of each, and returns another one; None: it stays."""
    with source.open("rb") as read, source.open("rb") as again, target.open("wb") as write:
        for place, _, following in raw_lines(read, Position(0, 1)):
            data = again.read(following.byte - place.byte)
            value = _edited(data, edited)
            if value is None:
                write.write(data)
                continue
            text, end = data.rstrip(b"\r\n"), data[len(data.rstrip(b"\r\n")) :]
            compact = b'": ' not in text
            ascii_only = text.isascii()
            separators = (",", ":") if compact else (", ", ": ")
            write.write(json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode() + end)


def _edited(data: bytes, edited: Callable[[Any], Any]) -> Any:
    """Return what takes the place of a line; None for one that stays, or that readers pass over."""
    try:
        return edited(parse_json(decode(data))) if data.strip() else None
    except Defect:
        return None
