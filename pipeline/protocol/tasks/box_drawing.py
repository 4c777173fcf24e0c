"""Box drawing [paper 3.2.2]: draw one new box around one entity, or say that none is missing."""

from enum import StrEnum

from annotation.rules.states import ChainState


class Verdict(StrEnum):
    BOX = "a box was drawn"
    NONE_MISSING = "none missing"
    NONE_AT_ALL = "none missing, without any box"
    CYCLING = "cycling"
    """Too many drawings in a row led to no accepted box."""


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.DRAWING, Verdict.BOX): ChainState.QUALITY,
    (ChainState.DRAWING, Verdict.NONE_MISSING): ChainState.COVERAGE,
    (ChainState.DRAWING, Verdict.NONE_AT_ALL): ChainState.REQUIREMENT,
    (ChainState.DRAWING, Verdict.CYCLING): ChainState.REVIEW,
}


def decide(*, drew: bool, accepted_boxes: int, fruitless: int, most: int = 4) -> Verdict:
    """Decide what follows a drawing judgment.

    `fruitless`: judgments in a row that led to no accepted box, this one included. `most`: how many send it to review.
    """
    if drew:
        return Verdict.BOX
    if fruitless >= most:
        return Verdict.CYCLING
    return Verdict.NONE_MISSING if accepted_boxes else Verdict.NONE_AT_ALL
