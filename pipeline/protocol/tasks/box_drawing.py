"""Box drawing [paper 3.2.2]: draw one new box around one entity, or say that none is missing."""

from enum import StrEnum

from annotation.rules.states import ChainState


class DrawingVerdict(StrEnum):
    BOX = "a box was drawn"
    NONE_MISSING = "none missing"
    NONE_AT_ALL = "none missing, without any box"
    CYCLING = "cycling"
    """Too many drawings in a row led to no accepted box."""


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.DRAWING, DrawingVerdict.BOX): ChainState.QUALITY,
    (ChainState.DRAWING, DrawingVerdict.NONE_MISSING): ChainState.COVERAGE,
    (ChainState.DRAWING, DrawingVerdict.NONE_AT_ALL): ChainState.REQUIREMENT,
    (ChainState.DRAWING, DrawingVerdict.CYCLING): ChainState.REVIEW,
}


def decide_drawing(*, drew: bool, accepted_boxes: int, fruitless: int, most: int) -> DrawingVerdict:
    """Decide what follows a drawing judgment.

    `fruitless`: judgments in a row that led to no accepted box, this one included. `most`: how many send it to review.
    """
    if drew:
        return DrawingVerdict.BOX
    if fruitless >= most:
        return DrawingVerdict.CYCLING
    return DrawingVerdict.NONE_MISSING if accepted_boxes else DrawingVerdict.NONE_AT_ALL
