"""What a virtual worker is shown of a question, and what gold says of it."""

from dataclasses import dataclass, field
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.models import KnownQuestion
from pipeline.rules.image.progress import ChainProgress, ImageProgress
from pipeline.rules.tasks.task import Task

COVERED = 0.5
"""A box covers a gold box at this IOU."""


@dataclass(frozen=True, slots=True)
class GoldChain:
    name: str
    mentions: tuple[int, ...]
    scene: bool
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class GoldImage:
    """The right answer for one image: its chains, and the chain of each mention number."""

    key: str
    width: int
    height: int
    chains: tuple[GoldChain, ...]
    chain_of: dict[int, GoldChain] = field(default_factory=dict)

    @classmethod
    def make(cls, key: str, width: int, height: int, chains: list[dict[str, Any]]) -> "GoldImage":
        """`chains` as the table of gold holds them."""
        made = tuple(
            GoldChain(c["name"], tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"]))
            for c in chains
        )
        return cls(key, width, height, made, {number: chain for chain in made for number in chain.mentions})


@dataclass(frozen=True, slots=True)
class View:
    """One question of one image, with the progress that a worker would see on the screen."""

    task: Task
    number: int
    subject: list[int]
    progress: ImageProgress
    image: GoldImage

    @property
    def chain(self) -> ChainProgress:
        return self.progress.chains[self.subject[0]]

    @property
    def gold(self) -> GoldChain:
        """Gold of a chain is that of its representative mention."""
        return self.image.chain_of[self.chain.representative]

    @property
    def boxes(self) -> list[Box]:
        """The chain's accepted boxes."""
        return [box.box for box in self.progress.accepted(self.chain.name)]

    @property
    def missing(self) -> list[Box]:
        """Gold boxes that no accepted box covers."""
        return [gold for gold in self.gold.boxes if not any(iou(gold, box) >= COVERED for box in self.boxes)]


@dataclass(frozen=True, slots=True)
class KnownView:
    """One verification question: what is shown of it, and its truth (as in `pipeline.rules.known.known_answer`)."""

    task: Task
    number: str
    """Its key: the same question has the same one in every run."""
    image: GoldImage
    shown: dict[str, Any]
    truth: Any

    @classmethod
    def of(cls, known: KnownQuestion, image: GoldImage) -> "KnownView":
        return cls(Task(known.task), known.key, image, known.shown, known.truth)

    @property
    def subject(self) -> list[int]:
        """The numbers of the mentions shown."""
        return [mention[0] for mention in self.shown["mentions"]]

    @property
    def gold(self) -> GoldChain:
        return self.image.chain_of[self.subject[0]]

    @property
    def boxes(self) -> list[Box]:
        """Those that are shown."""
        return [Box(*box) for box in self.shown["boxes"]]

    @property
    def missing(self) -> list[Box]:
        """The known boxes of a drawing that are not shown."""
        return [Box(*box) for box in self.truth]
