"""Box quality [paper 3.2.3]: is one newly drawn box good?"""

from enum import StrEnum

from annotation.rules.states import ChainState


class BoxQualityAnswer(StrEnum):
    GOOD = "good"
    BAD = "bad"


class BoxQualityVerdict(StrEnum):
    GOOD = "good"
    BAD = "bad"
    CYCLING = "cycling"
    """Too many drawings in a row led to no accepted box."""


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.QUALITY, BoxQualityVerdict.GOOD): ChainState.COVERAGE,
    (ChainState.QUALITY, BoxQualityVerdict.BAD): ChainState.DRAWING,
    (ChainState.QUALITY, BoxQualityVerdict.CYCLING): ChainState.REVIEW,
}


def decide_quality(answer: BoxQualityAnswer, *, fruitless: int, most: int) -> BoxQualityVerdict:
    """Decide by one judgment.

    `fruitless`: drawings in a row without an accepted box, this one included if bad. `most`: how many lead to review.
    """
    if answer is BoxQualityAnswer.GOOD:
        return BoxQualityVerdict.GOOD
    return BoxQualityVerdict.CYCLING if fruitless >= most else BoxQualityVerdict.BAD
