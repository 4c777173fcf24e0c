"""The values that every format is read into and written from: an image with everything known about it.

Readers yield `DatasetImage` or `Problem`, one image at a time, in a fixed order. Writers take `DatasetImage`.
"""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from annotation.rules.box import Box
from exchange.declared import Answered

UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters, but for the white space tab, line feed and carriage return; and halves of characters."""


class Numbers(NamedTuple):
    """The numbers that the images before a range of an export have used up."""

    images: int = 0
    chains: int = 0
    grounded: int = 0
    """Chains that have boxes, which some formats number apart."""
    captions: int = 0
    boxes: int = 0
    annotations: int = 0
    """Pairs of a phrase and a box of its chain."""

    def plus(self, other: "Numbers") -> "Numbers":
        """Return the numbers of both together."""
        return Numbers(*(count + more for count, more in zip(self, other, strict=True)))


NONE_USED = Numbers()


@dataclass(slots=True)
class AnswerTally:
    """Answers about one thing, counted by what was said."""

    people: dict[str, int] = field(default_factory=dict)
    programs: dict[str, dict[str, int]] = field(default_factory=dict)
    """By the name of the program."""

    def add(self, answer: str, program: str | None, count: int = 1) -> None:
        """Count answers. `program`: the name of the program that gave them; None: people did."""
        counts = self.people if program is None else self.programs.setdefault(program, {})
        counts[answer] = counts.get(answer, 0) + count

    def add_all(self, others: "AnswerTally") -> None:
        """Count other answers."""
        for program, counts in [(None, others.people), *others.programs.items()]:
            for answer, count in counts.items():
                self.add(answer, program, count)

    def as_json(self) -> Answered:
        return {"people": self.people, "programs": self.programs}


@dataclass(frozen=True, slots=True)
class DatasetMention:
    """A noun phrase: the words [start, end) of a caption. Mentions of a caption never overlap."""

    caption: int
    start: int
    end: int
    types: tuple[str, ...] = ()
    """Values of MentionType in the order of the source; empty: the dictionaries decide."""
    chain: str | None = None
    """Name of the chain in the source, or None if it is not known."""


@dataclass(frozen=True, slots=True)
class DatasetCaption:
    """A caption, its words, and the phrases that are not mentions (word spans)."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[int, ...]
    """The position of each word in `text`, in characters."""
    non_visual: tuple[tuple[int, int], ...] = ()
    chunked: bool = True
    """False if the phrases are not marked and still have to be found."""


@dataclass(frozen=True, slots=True)
class DatasetChain:
    """A coreference chain. A chain without a box is a scene or a no-box chain; a source may leave open which."""

    name: str
    scene: bool = False
    no_box: bool = False
    doubted: str = ""
    """The reason why the chain is in doubt; only exports have it."""
    drawer_judged: bool = False
    """Whether the worker whose drawing led to the last coverage visit was one of its judges; only exports have it."""
    answers: AnswerTally | None = None
    """Answers about the chain and the links in it, by task; only exports of projects with programs have them."""
    confidence: float | None = None
    """The chance, 0 to 1, that it has exactly the mentions of one thing; None: unknown."""
    box_confidence: float | None = None
    """The chance, 0 to 1, that its boxes, or its lack of any, are right; None: unknown."""


@dataclass(frozen=True, slots=True)
class DatasetBox:
    """A box with its chains, or with a category if the source has no chains."""

    box: Box
    chains: tuple[str, ...] = ()
    category: str = ""
    answers: AnswerTally | None = None
    """As of a chain: who drew it, and who said that it is good or bad."""
    confidence: float | None = None
    """The chance, 0 to 1, that it is right; None: unknown."""


class DatasetPart(NamedTuple):
    """Two mentions of different chains: most answers about their link say that one is part of the other."""

    part: int
    """The place of the mention among those of its image ..."""
    whole: int
    """... and that of the mention whose thing it is part of."""
    votes: int
    """The answers that say so."""
    answers: int
    """All answers about the link that count, without those of model annotators."""


class NegativePhrase(NamedTuple):
    """A phrase, the words [start, end) of a caption, of which nothing in the picture can be boxed."""

    caption: int
    start: int
    end: int
    confidence: float | None = None
    """The chance, 0 to 1, that the chain is right and has no box; None: unknown."""


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
    parts: tuple[DatasetPart, ...] = ()
    """Only exports of projects that asked for parts have them."""
    negatives: tuple[NegativePhrase, ...] | None = None
    """In reading order; None: the export was not asked for negatives."""
    picture: str | None = None
    """The picture's path within the source, with /, or None if the source has no pictures."""
    source: str = ""
    """The place from which it was read: file, or file:line."""
    path: str = ""
    """The path by which the source's texts name its picture, with the ending; empty if they name none."""
    coco_id: int | str | None = None
    """Its id in COCO files, or None if it has none yet."""

    @property
    def file_name(self) -> str:
        """Return the path that the source gave; for an image without one, its name with the picture's ending."""
        return self.path or self.name + self.suffix

    @property
    def suffix(self) -> str:
        """Return the ending of the picture's file name; .jpg without a picture."""
        return PurePosixPath(self.picture).suffix if self.picture else ".jpg"


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why an image or a part of the source was left out: the place, what is wrong, what to do.

    A source may hold any characters, so each text is kept as it can be shown and stored.
    """

    file: str
    line: int | None
    image: str
    """The image that is left out; empty if none is."""
    message: str
    key: str = ""
    """The image's place in the source, where `image` alone does not tell it from others that are left out."""

    def __post_init__(self) -> None:
        if self.image != shown_text(self.image) and not self.key:
            object.__setattr__(self, "key", self.image)  # what is shown alike may be two images
        for name in ("file", "image", "message"):
            object.__setattr__(self, name, shown_text(getattr(self, name)))

    @property
    def left_out(self) -> str:
        """Return what tells the image that is left out from others; empty if none is."""
        return self.image and (self.key or self.image)

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" + (f" (image {self.image} left out)" if self.image else "")


class Remark(Problem):
    """Something to know about the source that leaves nothing out: what was read in another way than it was said."""


@dataclass(frozen=True, slots=True)
class Detail(Problem):
    """A part of an image that was cut, or left out as it cannot be used. The image stays, so that none is named."""

    cut: bool = field(default=False, kw_only=True)


def shown_text(text: str) -> str:
    """Return the text with the characters that cannot be stored written out."""
    return UNUSABLE.sub(lambda found: ascii(found[0])[1:-1], text)
