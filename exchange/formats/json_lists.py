"""Objects of JSON that hold long lists, written item by item: one item a line, with sorted keys."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from exchange.formats.parts import Part, Text
from exchange.json_text import json_text


class JsonLists:
    """The lists of a JSON object by key, each a text of a part."""

    def __init__(self, part: Part, keys: Iterable[str]) -> None:
        self._texts = {key: part.text(key) for key in keys}
        self._before = dict.fromkeys(self._texts, "\n")

    def add(self, key: str, item: Mapping[str, Any]) -> None:
        """Append an item to one of the lists."""
        self._texts[key].write(f"{self._before[key]}{json_text(item)}".encode())
        self._before[key] = ",\n"


def json_object(lists: Mapping[str, Text], values: Mapping[str, Any]) -> list[bytes | Text]:
    """Return the layout of a JSON object with sorted keys: the list under each key, and values that are no list."""
    pieces: list[bytes | Text] = []
    for position, key in enumerate(sorted({*lists, *values})):
        before = b"{\n" if position == 0 else b",\n"
        pieces.append(before + json.dumps(key).encode() + b": ")
        if key in values:
            pieces.append(json.dumps(values[key], sort_keys=True).encode())
        else:
            pieces += [b"[", lists[key], b"\n]"]
    return [*pieces, b"\n}\n"]


def list_text(name: str, *, last: bool = False) -> Text:
    """Return the text of the items of a list. `last`: the last part has them all."""
    return Text(name, b",", last)
