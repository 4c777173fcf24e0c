"""Box quality [paper 3.2.3]: is one newly drawn box good?"""

from enum import StrEnum

from annotation.rules.states import ChainState


class Answer(StrEnum):
    GOOD = "good"
    BAD = "bad"


class Verdict(StrEnum):
    GOOD = "good"
    BAD = "bad"
    CYCLING = "cycling"
    """Too many drawings in a row led to no accepted box."""


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.QUALITY, Verdict.GOOD): ChainState.COVERAGE,
    (ChainState.QUALITY, Verdict.BAD): ChainState.DRAWING,
    (ChainState.QUALITY, Verdict.CYCLING): ChainState.REVIEW,
}


def decide(answer: Answer, *, fruitless: int, most: int = 4) -> Verdict:
    """Decide by one judgment.

    `fruitless`: drawings in a row without an accepted box, this one included if bad. `most`: how many lead to review.
    """
    if answer is Answer.GOOD:
        return Verdict.GOOD
    return Verdict.CYCLING if fruitless >= most else Verdict.BAD
