"""The things that a reader found in an export: plain values, which go from one environment to another as JSON."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Edges = tuple[int, ...]
"""Left, top, right, bottom, in pixels; the last two exclusive."""


class Phrase(NamedTuple):
    """A phrase of a caption. `start`, `end`: in characters."""

    file_name: str
    caption: str
    start: int
    end: int
    boxes: tuple[Edges, ...]
    chain: str | None = None
    """None: the reader does not hand chains on."""


@dataclass
class Found:
    """Everything that a reader found. Images go by their file names."""

    phrases: list[Phrase] = field(default_factory=list)
    captions: list[tuple[str, str]] = field(default_factory=list)
    """Rows of file name and text."""
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The width and height of each image."""
    pictures: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each picture."""
    loose: list[tuple[str, str, Edges]] = field(default_factory=list)
    """Boxes of no phrase: rows of file name, category and edges."""
    ids: dict[str, int | str] = field(default_factory=dict)
    """The id of each image in COCO files."""
    told: tuple[str, ...] = ("phrases", "captions", "sizes")
    """The names of the fields above that the reader hands on; others are not compared."""

    def write(self, target: Path, version: str) -> None:
        """Write it as JSON, with the version of the reader."""
        target.write_text(json.dumps({"version": version, **vars(self)}), encoding="utf-8")


def read_found(path: Path) -> tuple[Found, str]:
    """Return what `Found.write` wrote: what was found, and the reader's version."""
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    version = str(told.pop("version"))
    found = Found(**told)
    found.phrases = [
        Phrase(name, text, start, end, tuple(map(tuple, boxes)), chain)
        for name, text, start, end, boxes, chain in told["phrases"]
    ]
    found.captions = [(name, text) for name, text in found.captions]
    found.sizes = {name: (width, height) for name, (width, height) in found.sizes.items()}
    found.loose = [(name, category, tuple(edges)) for name, category, edges in found.loose]
    return found, version
