"""Box coverage [paper 3.2.4]: are all required boxes of a chain there?"""

from collections.abc import Sequence
from enum import StrEnum

from annotation.rules.states import ChainState


class Answer(StrEnum):
    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


class Verdict(StrEnum):
    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.COVERAGE, Verdict.ALL_THERE): ChainState.COMPLETE,
    (ChainState.COVERAGE, Verdict.MORE_NEEDED): ChainState.DRAWING,
}


def decide(votes: Sequence[Answer], *, needed: int = 2) -> Verdict | None:
    """Decide by the votes of one visit to box coverage, oldest first. None: ask one more worker.

    A first vote of "more needed" decides at once. After a first "all there", either side needs `needed` votes.
    """
    if votes and votes[0] is Answer.MORE_NEEDED:
        return Verdict.MORE_NEEDED
    if votes.count(Answer.ALL_THERE) >= needed:
        return Verdict.ALL_THERE
    return Verdict.MORE_NEEDED if votes.count(Answer.MORE_NEEDED) >= needed else None
