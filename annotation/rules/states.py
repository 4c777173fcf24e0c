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
    """The reason why a chain has no box."""

    SCENE = "scene"
    NO_BOX = "no box"


class Survey(StrEnum):
    """The question that a survey project asks. An ordinary project asks the paper's six tasks instead."""

    CAPTION_CHECK = "caption_check"
    ATOM_VISUAL = "atom_visual"


class ProjectState(StrEnum):
    """The state of a project: only a running one gives workers new questions."""

    DRAFT = "draft"
    """Being filled and set up. Nothing was asked yet."""
    RUNNING = "running"
    PAUSED = "paused"
    """Workers finish what they have begun, and get nothing new."""
    FINISHED = "finished"
    """Like paused, for good: the requester has what they wanted."""
    ARCHIVED = "archived"
    """Finished, and out of the lists."""
