"""Box coverage [paper 3.2.4]: are all required boxes of a chain there?"""

from collections.abc import Sequence
from enum import StrEnum

from annotation.rules.states import ChainState


class CoverageAnswer(StrEnum):
    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


class CoverageVerdict(StrEnum):
    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.COVERAGE, CoverageVerdict.ALL_THERE): ChainState.COMPLETE,
    (ChainState.COVERAGE, CoverageVerdict.MORE_NEEDED): ChainState.DRAWING,
}


def decide_coverage(votes: Sequence[CoverageAnswer], *, needed: int) -> CoverageVerdict | None:
    """Decide by the votes of one visit to box coverage, oldest first. None: ask one more worker.

    A first vote of "more needed" decides at once. After a first "all there", either side needs `needed` votes.
    """
    if votes and votes[0] is CoverageAnswer.MORE_NEEDED:
        return CoverageVerdict.MORE_NEEDED
    if votes.count(CoverageAnswer.ALL_THERE) >= needed:
        return CoverageVerdict.ALL_THERE
    return CoverageVerdict.MORE_NEEDED if votes.count(CoverageAnswer.MORE_NEEDED) >= needed else None
