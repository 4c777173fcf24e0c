"""Long lists in JSON files, written item by item: each list grows in a file of its own until all are put together."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any


class JsonLists:
    """The lists of a JSON object, by key. Items appear one a line, with sorted keys, in the order they were added."""

    def __init__(self, files: dict[str, IO[bytes]]) -> None:
        self._files = files

    def add(self, key: str, item: dict[str, Any]) -> None:
        """Append an item to one of the lists."""
        file = self._files[key]
        file.write(b",\n" if file.tell() else b"\n")
        file.write(json.dumps(item, ensure_ascii=False, sort_keys=True, allow_nan=False).encode())

    def write(self, target: Path, lists: dict[str, str]) -> None:
        """Write an object, its keys sorted; `lists` says which list stands under which key."""
        with target.open("xb") as whole:
            for position, key in enumerate(sorted(lists)):
                whole.write(b"{\n" if position == 0 else b",\n")
                whole.write(json.dumps(key).encode() + b": [")
                file = self._files[lists[key]]
                file.seek(0)
                shutil.copyfileobj(file, whole)
                whole.write(b"\n]")
            whole.write(b"\n}\n")


@contextmanager
def json_lists(*keys: str) -> Iterator[JsonLists]:
    """Lists under these keys, held on disk until the block ends."""
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for key in keys:
            files[key] = stack.enter_context(tempfile.TemporaryFile())
        yield JsonLists(files)
