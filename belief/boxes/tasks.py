"""Box tasks [beyond paper 3.2]: the four questions about a chain's boxes, and their answers."""

from enum import StrEnum


class BoxTask(StrEnum):
    """One question about a chain's boxes; the value is the key of its error rate in `BoxPrior.errors`."""

    REQUIREMENT = "requirement"
    """Does the chain need a box at all?"""
    DRAWING = "drawing"
    """Draw one box that is missing, or find none missing."""
    QUALITY = "quality"
    """Is this one box good?"""
    COVERAGE = "coverage"
    """Are all boxes there?"""


class Requirement(StrEnum):
    """The answers to box requirement."""

    BOX = "box"
    NO_BOX = "no box"


class Quality(StrEnum):
    """The answers to box quality."""

    GOOD = "good"
    BAD = "bad"


class Coverage(StrEnum):
    """The answers to box coverage."""

    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


Reply = Requirement | Quality | Coverage
ALARMS = frozenset[Reply]({Requirement.BOX, Quality.BAD, Coverage.MORE_NEEDED})
"""The answers that find something wrong: a missing box, or a bad one."""
