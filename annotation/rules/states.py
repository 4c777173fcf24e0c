"""States [paper 3]: the states of chains, images and boxes; `pipeline/rules` decides how they change."""

from enum import StrEnum


class ChainState(StrEnum):
    """The state of a chain: the task that is asked about it, or how it ended."""

    LINKING = "linking"
    VERIFICATION = "verification"
    REQUIREMENT = "requirement"
    DRAWING = "drawing"
    QUALITY = "quality"
    COVERAGE = "coverage"
    COMPLETE = "complete"
    NON_VISUAL = "non-visual"
    REVIEW = "review"


class ImageState(StrEnum):
    """The state of an image as a whole."""

    LINKING = "linking"
    BOXING = "boxing"
    REVIEW = "in review"
    MERGED = "merged"


class BoxState(StrEnum):
    """The state of a box."""

    PENDING = "pending"
    """Drawn, and its quality is not judged yet."""
    ACCEPTED = "accepted"
    DISCARDED = "discarded"
    """Judged bad, or removed by an expert or with a voided judgment; the record keeps it."""


class NonVisual(StrEnum):
    """Why a chain has no box."""

    SCENE = "scene"
    NO_BOX = "no box"
