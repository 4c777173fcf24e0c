"""Link policy [paper 3.1.1]: the interface of what decides which links to ask next, and which chains are placed.

A policy decides, and changes nothing; `protocol.image.linking` does what the plan says.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from annotation.rules.transitivity import LinkMention, Pair
from pipeline.protocol.state.progress import ImageProgress, LinkSource

Group = Sequence[LinkMention]
"""Mentions that are planned together, in reading order."""


class Ask(NamedTuple):
    """One link question to ask now."""

    subject: tuple[int, ...]
    """As in `OpenQuestion`: a pair, or the mention and the candidates of a sweep."""
    value: float = 0.0
    """The bits, 0 to 1, that its answer should tell. Workers get large values first."""
    predicted: float | None = None
    """Of an audit, a link that is asked once to check the policy: the chance, 0 to 1, that the answer is "same"."""
    barred: Collection[int] = ()
    """Workers who may not answer, besides those whom the protocol and `LinkPolicy.barred` bar."""
    preset: tuple[int, ...] = ()
    """Of a sweep: the candidates that are touched when the worker sees the question."""


class PlacedChain(NamedTuple):
    """One chain whose mentions are placed."""

    mentions: tuple[int, ...]
    """In reading order."""
    doubt: str = ""
    """The reason why the chain may be wrong; empty: there is none."""
    confidence: float | None = None
    """The chance, 0 to 1, that exactly these mentions are a chain of the data set; None: it is unknown."""
    verify: bool = True
    """False: the chain is sure enough without chain verification."""
    unsettled: bool = False
    """A link of the chain was left without consensus: an expert decides."""


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """The link questions to ask now about a group, or the chains that are placed."""

    asks: tuple[Ask, ...]
    """None: all mentions of the group are placed."""
    chains: tuple[tuple[int, ...], ...]
    """The chains so far: mention numbers in reading order, chains by their first mention."""
    placed: tuple[PlacedChain, ...] = ()
    """The same chains, with what is known of them. Empty, like the two below, while a link is asked."""
    sources: Mapping[Pair, LinkSource] = field(default_factory=dict)
    """The source of each pair that was asked, that an expert set, or that was skipped; a policy may name more pairs."""
    together: Mapping[Pair, float] = field(default_factory=dict)
    """The chance, 0 to 1, of a pair to corefer. Pairs of which the policy says nothing are left out."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Decisions about the image that the policy takes once and for all: see `ImageProgress.notes`."""


@runtime_checkable
class LinkPolicy(Protocol):
    """Decides about the links of an image."""

    @property
    def digest(self) -> str:
        """A short text that differs if other links may be asked."""

    @property
    def everywhere(self) -> bool:
        """Whether the most telling question is sought in all images, so that all are linked from the beginning."""

    @property
    def by_sentence(self) -> bool:
        """Whether mentions of different sentences of a caption may be one thing."""

    @property
    def reads_predicted_chains(self) -> bool:
        """Whether links are planned anew when programs predict other chains."""

    @property
    def reads_all_votes(self) -> bool:
        """Whether every vote on a link counts; else only the first one does."""

    @property
    def models(self) -> Collection[int]:
        """The programs whose votes count as those of models, and not as a person's."""

    @property
    def most_answers(self) -> int:
        """The number of different workers who are asked about a pair at most."""

    @property
    def labelled_by(self) -> int | None:
        """The program whose pre-annotations are the labels of a data set that is checked; None: none is."""

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        """Return the groups of mentions that are planned together, in reading order."""

    def may_ask(self, first: LinkMention, second: LinkMention) -> bool:
        """Return whether it may be asked whether the two are one thing."""

    def barred(self, image: ImageProgress, pair: Pair) -> Collection[int]:
        """Return who may not answer about a link, besides those who have answered and those whose vote was voided."""

    def sets_aside(self, worker: int) -> bool:
        """Return whether a program's answer about a link changes nothing."""

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        """Return the links to ask next between these mentions; if none, the chains that the mentions make."""

    def may_join(self, image: ImageProgress, chain: int, other: int) -> bool:
        """Return whether two chains, given by their names, that point to the same boxes are one thing [paper 3.3.2]."""
