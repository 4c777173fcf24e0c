"""The values that every export is read into: pictures with captions, phrases, chains and boxes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property


class Lack(StrEnum):
    """Things for which some formats have no room."""

    UNBOXED = "phrases without a box and flags"
    TYPES = "types"
    FURTHER_TYPES = "more than one type of a phrase"


TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")
"""The types, in the order of the paper's tables."""
Box = tuple[float, float, float, float]
"""Edges x0, y0, x1, y1 in pixels, from 0, the last two exclusive."""
NOT_VISUAL = "0"
"""The chain of phrases that are no mentions."""
SCENE, NO_BOX = "scene", "no box"
"""The flags of chains without a box."""


@dataclass(frozen=True, slots=True)
class PicturePhrase:
    """A bracketed chunk of a caption."""

    caption: int
    number: int
    """The place among all chunks of the caption, from 0, those that are not visual included."""
    start: int
    """The first word, counted from 0 in the caption."""
    words: tuple[str, ...]
    chain: str
    types: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the words with single spaces."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class PictureCaption:
    """A caption without its markup."""

    words: tuple[str, ...]
    phrases: tuple[PicturePhrase, ...]

    @property
    def text(self) -> str:
        """Return the words with single spaces."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Picture:
    """An image of an export. `boxes`: of each chain, in the order of the file; chains without a box are not in it."""

    name: str
    """The file's name without ending."""
    width: int
    height: int
    captions: tuple[PictureCaption, ...]
    boxes: dict[str, list[Box]]
    loose: tuple[tuple[str, Box], ...] = field(default=())
    """Boxes of no chain, each with its category."""
    flags: dict[str, frozenset[str]] = field(default_factory=dict)
    """SCENE or NO_BOX, of each chain that has a flag."""
    lacks: frozenset[Lack] = frozenset()
    """Things for which the format of its export has no room."""

    @cached_property
    def gold(self) -> dict[str, Box]:
        """The gold box of each chain with a box: the smallest box around all of them [paper 4.1.1]."""
        return {chain: around(boxes) for chain, boxes in self.boxes.items()}


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around all boxes. Raises ValueError for none."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
