"""The values that every format is read into and written from: one image with all that is known of it.

Readers yield `DatasetImage` or `Problem`, one image at a time, in a fixed order; writers take `DatasetImage`.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath

from annotation.rules.box import Box


@dataclass(frozen=True, slots=True)
class DatasetMention:
    """A noun-phrase chunk: the words [start, end) of a caption. Mentions of a caption never overlap."""

    caption: int
    start: int
    end: int
    types: tuple[str, ...] = ()
    """Values of MentionType in the order of the source; empty: the dictionaries decide."""
    chain: str | None = None
    """Name of the chain in the source; None: not known."""


@dataclass(frozen=True, slots=True)
class DatasetCaption:
    """A caption, its words, and the chunks that never were mentions (word spans)."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[int, ...]
    """Where each word begins in `text`, in characters."""
    non_visual: tuple[tuple[int, int], ...] = ()
    chunked: bool = True
    """False: nothing says where the phrases are, so they still have to be chunked."""


@dataclass(frozen=True, slots=True)
class DatasetChain:
    """A coreference chain. A chain without a box is a scene or a no-box chain."""

    name: str
    scene: bool = False
    no_box: bool = False


@dataclass(frozen=True, slots=True)
class DatasetBox:
    """A box with the chains that point to it, or with a category where the source knows no chains."""

    box: Box
    chains: tuple[str, ...] = ()
    category: str = ""


@dataclass(frozen=True, slots=True)
class DatasetImage:
    """An image with its captions, mentions (reading order), chains and boxes."""

    name: str
    width: int
    height: int
    captions: tuple[DatasetCaption, ...]
    mentions: tuple[DatasetMention, ...] = ()
    chains: tuple[DatasetChain, ...] = ()
    boxes: tuple[DatasetBox, ...] = ()
    picture: str | None = None
    """The picture's path within the source, with /; None: the source has no pictures at all."""
    source: str = ""
    """Where it was read: file, or file:line."""

    @property
    def suffix(self) -> str:
        """The ending of the picture's file name; .jpg where there is no picture."""
        return PurePosixPath(self.picture).suffix if self.picture else ".jpg"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an image (or a part of the source) was left out: where, what is wrong, what to do."""

    file: str
    line: int | None
    image: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" + (f" (image {self.image} left out)" if self.image else "")
