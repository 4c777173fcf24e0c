"""Progress of one image [paper 3]: the fold of its record, as plain values that go to JSON and back."""

from dataclasses import dataclass, field
from typing import Any

from annotation.rules.box import Box
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import LinkMention, Pair
from pipeline.rules.tasks.task import Task

Vote = list[Any]
"""[entry, worker, answer]: who said what, and the number of the entry that brought it.

A link's may end with a shift: by how much the logit of the worker's error was above the crowd's then.
"""


@dataclass(slots=True)
class MentionProgress:
    number: int
    caption: int
    start: int
    end: int
    types: list[str]
    text: str

    @property
    def head(self) -> str:
        return head_noun(self.text.split())

    @property
    def order(self) -> tuple[int, int]:
        return self.caption, self.start

    def for_links(self) -> LinkMention:
        words = tuple(self.text.lower().split())
        return LinkMention(self.number, self.caption, self.start, frozenset(self.types), self.head, words)


@dataclass(slots=True)
class ChainProgress:
    name: int
    mentions: list[int]
    state: ChainState = ChainState.LINKING
    representative: int = -1
    non_visual: str = ""
    doubted: str = ""
    review: str = ""
    requirement: list[Vote] = field(default_factory=list)
    coverage: list[Vote] = field(default_factory=list)
    coverage_barred: list[int] = field(default_factory=list)
    """Judges of visits that led to no new box: not asked about the same boxes again."""
    fruitless: int = 0
    """Drawings in a row that brought no accepted box."""
    merged_into: int | None = None
    confidence: float | None = None
    """The chance that exactly these mentions are a chain, where the links were asked adaptively; None: unknown."""


@dataclass(slots=True)
class BoxProgress:
    number: int
    chain: int
    box: Box
    state: BoxState
    worker: int | None
    """Who drew it; None: known at import, or an expert's."""
    entry: int
    accepted: int | None = None
    """The entry by which it was accepted."""


@dataclass(slots=True)
class OpenQuestion:
    number: int
    task: Task
    subject: list[int]
    barred: list[int] = field(default_factory=list)


@dataclass(slots=True)
class MergedBoxProgress:
    number: int
    box: Box
    members: list[int]


@dataclass(slots=True)
class Move:
    """One line for the table of transitions."""

    machine: str
    subject: int
    old: str
    new: str
    reason: str
    entry: int


@dataclass(slots=True)
class ImageProgress:
    """Everything that the next entry of an image's record acts on."""

    sequence: int = 0
    state: ImageState = ImageState.LINKING
    started: bool = False
    waiting: bool = False
    """Its phrases are still to be found: there is nothing to link yet."""
    mentions: dict[int, MentionProgress] = field(default_factory=dict)
    chains: dict[int, ChainProgress] = field(default_factory=dict)
    boxes: dict[int, BoxProgress] = field(default_factory=dict)
    open: dict[int, OpenQuestion] = field(default_factory=dict)
    votes: dict[Pair, list[Vote]] = field(default_factory=dict)
    given: dict[Pair, bool] = field(default_factory=dict)
    voided: dict[Pair, list[int]] = field(default_factory=dict)
    """Workers whose judgment of a link was voided: it is not asked of them again."""
    skipped: list[Pair] = field(default_factory=list)
    flagged: dict[int, str] = field(default_factory=dict)
    """Mentions whose chain goes to review once it is placed, with the reason."""
    sources: dict[Pair, LinkSource] = field(default_factory=dict)
    reports: list[list[Any]] = field(default_factory=list)
    """[what, number, worker]"""
    numbered: int = 0
    """Mention numbers given so far, removed ones too: the number of the next one."""
    asked: int = 0
    """Questions opened so far: the number of the next one."""
    drawn: int = 0
    """Boxes so far: the number of the next one."""
    merged: list[MergedBoxProgress] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    """Moves since the state was loaded; not part of it."""

    def reading_order(self, numbers: list[int]) -> list[int]:
        return sorted(numbers, key=lambda number: self.mentions[number].order)

    def types_of(self, chain: ChainProgress) -> frozenset[str]:
        return frozenset(one for number in chain.mentions for one in self.mentions[number].types)

    def has_type(self, chain: ChainProgress, wanted: MentionType) -> bool:
        return wanted.value in self.types_of(chain)

    def accepted(self, chain: int) -> list[BoxProgress]:
        """The accepted boxes of a chain, in the order in which they were accepted."""
        own = [box for box in self.boxes.values() if box.chain == chain and box.state is BoxState.ACCEPTED]
        return sorted(own, key=lambda box: (box.accepted or 0, box.number))

    def chain_of(self, mention: int) -> ChainProgress:
        return next(chain for chain in self.chains.values() if mention in chain.mentions)
