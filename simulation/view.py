"""A question as a virtual worker sees it, with its gold."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.models import KnownQuestion
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import Task

COVERED = 0.5
"""The IOU at which a box covers a gold box."""


@dataclass(frozen=True, slots=True)
class TrueChain:
    """A chain of the gold annotation."""

    name: str
    mentions: tuple[int, ...]
    scene: bool
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class TrueImage:
    """The gold annotation of one image."""

    key: str
    width: int
    height: int
    chains: tuple[TrueChain, ...]

    @cached_property
    def chain_of(self) -> dict[int, TrueChain]:
        """Return the chain of each mention number."""
        return {number: chain for chain in self.chains for number in chain.mentions}

    @classmethod
    def make(cls, key: str, width: int, height: int, chains: list[dict[str, Any]]) -> "TrueImage":
        """Make the gold of an image from the JSON in the table of gold."""
        made = tuple(
            TrueChain(c["name"], tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"]))
            for c in chains
        )
        return cls(key, width, height, made)


@dataclass(frozen=True, slots=True)
class View:
    """One question of one image, with the progress that a worker would see on the screen."""

    task: Task
    number: int
    subject: list[int]
    progress: ImageProgress
    image: TrueImage

    @property
    def chain(self) -> ChainProgress:
        return self.progress.chains[self.subject[0]]

    @property
    def gold(self) -> TrueChain:
        """Return the gold chain of the chain's representative mention."""
        return self.image.chain_of[self.chain.representative]

    @property
    def boxes(self) -> list[Box]:
        """Return the chain's accepted boxes, without the one that is to be drawn once more."""
        hidden = self.subject[1:]
        return [box.box for box in self.progress.accepted(self.chain.name) if box.number not in hidden]

    @property
    def missing(self) -> list[Box]:
        """Return the gold boxes that no accepted box covers."""
        return [gold for gold in self.gold.boxes if not any(iou(gold, box) >= COVERED for box in self.boxes)]


@dataclass(frozen=True, slots=True)
class KnownView:
    """One verification question with its truth, in the form of `pipeline.known.known_answer`."""

    task: Task
    number: str
    """The question's key, which is the same in every run."""
    image: TrueImage
    shown: dict[str, Any]
    truth: Any

    @classmethod
    def of(cls, known: KnownQuestion, image: TrueImage) -> "KnownView":
        return cls(Task(known.task), known.key, image, known.shown, known.truth)

    @property
    def subject(self) -> list[int]:
        """Return the numbers of the mentions that are shown."""
        return [mention[0] for mention in self.shown["mentions"]]

    @property
    def gold(self) -> TrueChain:
        return self.image.chain_of[self.subject[0]]

    @property
    def boxes(self) -> list[Box]:
        """Return the boxes that are shown."""
        return [Box(*box) for box in self.shown["boxes"]]

    @property
    def missing(self) -> list[Box]:
        """Return the known boxes of a drawing question that are not shown."""
        return [Box(*box) for box in self.truth]
