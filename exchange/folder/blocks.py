"""Blocks of a caption file: captions of one image, or a place that cannot be read."""

from dataclasses import dataclass

from exchange.folder.lines import Position
from exchange.problems import Defect


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive captions of one image, each with its line."""

    place: Position
    image: str
    texts: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """A place that cannot be read; `image` is empty if the image is unknown."""

    image: str
    defect: Defect
