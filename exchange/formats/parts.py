"""Parts of an export: texts, of which its files are made, and whole files.

A small export is one part. A large one is written as several, each a range of its images; the texts of all parts, put
behind one another as the format's layout says, are the bytes that one part would have given.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from exchange.dataset import NONE_USED, DatasetImage, Numbers
from exchange.formats.phrases import ExportNote, GroundedImage
from exchange.json_text import json_text


def used_numbers_of(image: DatasetImage) -> Numbers:
    """Return the numbers that an image uses up in an export."""
    phrases = Counter(mention.chain for mention in image.mentions)
    chains = [chain for box in image.boxes for chain in box.chains]
    annotations = sum(phrases[chain] for chain in chains)
    return Numbers(1, len(image.chains), len(set(chains)), len(image.captions), len(image.boxes), annotations)


class PartText(NamedTuple):
    """A place in a file where a text of every part stands."""

    name: str
    between: bytes = b""
    """Stands between the texts of two parts, unless one is empty."""
    last: bool = False
    """Whether the last part alone has the whole text."""


Layout = Mapping[str, Sequence[bytes | PartText]]
"""The files of an export that are made of texts, by their paths in its folder; "": the export itself is the file."""
LINES = PartText("lines")
"""The only text of formats that are one file of lines."""
LAYOUT_OF_LINES: Layout = {"": [LINES]}


@dataclass
class ExportPart:
    """A part of an export that is being written."""

    files: Path
    """The folder for whole files of the export."""
    open_text: Callable[[str], IO[bytes]] = lambda name: tempfile.TemporaryFile()  # noqa: SIM115  # the part closes it
    """Opens a text by its name to write, and to read, it."""
    start: Numbers = NONE_USED
    """The numbers that the parts before it use up."""
    categories: Sequence[str] = ()
    """Categories of boxes without chains that have a number already, in the order of their numbers."""
    pictures: str = ""
    """The folder of the pictures as seen from the files, with / at its end; empty: the same folder."""
    notes: Counter[ExportNote] = field(default_factory=Counter)
    texts: dict[str, IO[bytes]] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def text(self, name: str) -> IO[bytes]:
        """Return a text of the part, open until the part is closed."""
        if name not in self.texts:
            self.texts[name] = self._stack.enter_context(self.open_text(name))
        return self.texts[name]


def write_lines(
    images: Iterable[GroundedImage], lines: Callable[[GroundedImage], Iterator[Mapping[str, Any]]], part: ExportPart
) -> int:
    """Write the lines of each image, and return the number of images."""
    count, text = 0, part.text(LINES.name)
    for image in images:
        count += 1
        text.write("".join(f"{json_text(line)}\n" for line in lines(image)).encode())
    return count


class JsonLists:
    """The lists of a JSON object by key, each a text of a part."""

    def __init__(self, part: ExportPart, keys: Iterable[str]) -> None:
        self._texts = {key: part.text(key) for key in keys}
        self._before = dict.fromkeys(self._texts, "\n")

    def add(self, key: str, item: Mapping[str, Any]) -> None:
        """Append an item to one of the lists."""
        self._texts[key].write(f"{self._before[key]}{json_text(item)}".encode())
        self._before[key] = ",\n"


def json_object(lists: Mapping[str, PartText], values: Mapping[str, Any]) -> list[bytes | PartText]:
    """Return the layout of a JSON object with sorted keys: the list under each key, and values that are no list."""
    pieces: list[bytes | PartText] = []
    for position, key in enumerate(sorted({*lists, *values})):
        before = b"{\n" if position == 0 else b",\n"
        pieces.append(before + json.dumps(key).encode() + b": ")
        if key in values:
            pieces.append(json.dumps(values[key], sort_keys=True).encode())
        else:
            pieces += [b"[", lists[key], b"\n]"]
    return [*pieces, b"\n}\n"]


def items_text(name: str, *, last: bool = False) -> PartText:
    """Return the text of the items of a list. `last`: the last part has them all."""
    return PartText(name, b",", last)
