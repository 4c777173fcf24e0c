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


class BoxRequirement(StrEnum):
    """The answers to box requirement."""

    BOX = "box"
    NO_BOX = "no box"


class BoxQuality(StrEnum):
    """The answers to box quality."""

    GOOD = "good"
    BAD = "bad"


class BoxCoverage(StrEnum):
    """The answers to box coverage."""

    ALL_THERE = "all there"
    MORE_NEEDED = "more needed"


BoxReply = BoxRequirement | BoxQuality | BoxCoverage
ALARMS = frozenset[BoxReply]({BoxRequirement.BOX, BoxQuality.BAD, BoxCoverage.MORE_NEEDED})
"""The answers that find something wrong: a missing box, or a bad one."""
