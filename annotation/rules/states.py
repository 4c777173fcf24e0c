"""States [paper 3]: where a chain and an image can stand; `pipeline.rules` says how they move."""

from enum import StrEnum


class ChainState(StrEnum):
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
    LINKING = "linking"
    BOXING = "boxing"
    REVIEW = "in review"
    MERGED = "merged"


class BoxState(StrEnum):
    PENDING = "pending"
    """Drawn; its quality is not judged yet."""
    ACCEPTED = "accepted"
    DISCARDED = "discarded"
    """Judged bad, or taken away by an expert or a voiding; kept in the record."""


class NonVisual(StrEnum):
    """Why a chain has no box."""

    SCENE = "scene"
    NO_BOX = "no box"
