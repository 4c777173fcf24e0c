"""Box policy [paper 3.2]: the interface of what decides which box task comes next, and what becomes of the boxes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from annotation.rules.box import Box, Drawing
from pipeline.protocol.state.progress import ChainAnswer, ChainProgress, ImageProgress, OpenQuestion, PreAnnotation
from pipeline.protocol.tasks.flow import TransitionTable
from pipeline.protocol.tasks.task import Task


class Show(NamedTuple):
    """Boxes of programs are shown from now on, as if they had been drawn."""

    pre_annotations: tuple[PreAnnotation, ...]
    trust: float | None = None
    """The chance that each is good if one is missing; None: the policy does not weigh it."""
    drop: tuple[int, ...] = ()
    """The boxes to discard first."""
    then: "Callable[[], Show | BoxDecision] | None" = None
    """Returns what follows once they are shown; None: the policy is asked again as before."""


class BoxDecision(NamedTuple):
    """A decision about a chain: a row of a transition table, and what becomes of its boxes.

    All boxes that are not discarded are accepted, but for the one that is to be judged.
    """

    verdict: StrEnum | None
    """None: the chain stays where it is, and its question is asked, or stays open."""
    box: int | None = None
    """The box that waits to be judged, or that nobody is left to judge where the chain goes to review."""
    redraw: int | None = None
    """The box that is to be drawn once more by somebody who does not see it."""
    drop: tuple[int, ...] = ()
    """The boxes that are discarded."""
    cause: StrEnum | None = None
    """The reason for the move, if the verdict is not."""
    outcome: StrEnum | None = None
    """The outcome of the question that is closed, if it is not the last answer."""
    non_visual: str = ""
    """The reason why a chain that is non-visual now has no box."""
    confidence: float | None = None
    """The chance that the boxes of a chain that ends are all right and none is missing."""
    good_chances: Mapping[int, float] = MappingProxyType({})
    """The chance of each of its boxes to be good."""


@runtime_checkable
class BoxPolicy(Protocol):
    """Decides about the boxes of a chain. Only the machine acts."""

    @property
    def transitions(self) -> TransitionTable:
        """The steps beyond those of the six tasks."""

    @property
    def tallied(self) -> Collection[Task]:
        """The tasks whose question may need several answers. That of any other task closes with its first."""

    @property
    def workers_needed(self) -> Mapping[Task, int]:
        """The number of different workers, by box task, who always suffice for a chain: see `workers_needed`."""

    def step(
        self, image: ImageProgress, chain: ChainProgress, new_answer: ChainAnswer | None, inactive: Collection[int]
    ) -> Show | BoxDecision:
        """Return what follows from all answers about a chain.

        `new_answer`: the last one, if nothing has followed from it yet; or one that was withdrawn.
        `inactive`: the models that are not at work.
        """

    def enter(self, image: ImageProgress, chain: ChainProgress) -> Show | BoxDecision:
        """Return what follows where a chain has just come to a box task, before its question is opened."""

    def barred(self, image: ImageProgress, task: Task, subject: Sequence[int]) -> set[int]:
        """Return the workers who may not answer a question about a box task."""

    def may_withdraw(self, image: ImageProgress, chain: ChainProgress, answer: ChainAnswer) -> bool:
        """Return whether nothing has followed from an answer that counts, so that it can be voided."""

    def box_drawn_before(self, image: ImageProgress, question: OpenQuestion, drawn: Box) -> int | None:
        """Return the box that shows what was drawn now; None: the drawing makes a box of its own."""

    def drawings_of(self, image: ImageProgress, chain: ChainProgress, drawing: Drawing) -> list[Drawing]:
        """Return the drawings that a new box is made of; none: it is as it was drawn."""

    def box_of(self, drawings: Sequence[Drawing]) -> Box:
        """Return the box of several drawings of a thing."""

    def is_model(self, worker: int, task: Task) -> bool:
        """Return whether a program's answers to the task are evidence as those of a model."""

    def sets_aside(self, worker: int, task: Task) -> bool:
        """Return whether a program's answer to the task changes nothing."""
