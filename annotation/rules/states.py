"""States [paper 3]: those of chains, images and boxes, which `pipeline/protocol` changes, and the life of a project."""

from enum import StrEnum


class ChainState(StrEnum):
    """The state of a chain: the task that is asked about it, or how it ended."""

    LINKING = "linking"
    """Workers answer which mentions of the group refer to the same."""
    VERIFICATION = "verification"
    """A worker checks that all its mentions refer to the same entity or set of entities."""
    REQUIREMENT = "requirement"
    """Workers decide whether a box can be drawn for the chain."""
    DRAWING = "drawing"
    """A worker draws the next box, or answers that none is missing."""
    QUALITY = "quality"
    """A worker judges the box that was just drawn."""
    COVERAGE = "coverage"
    """Workers decide whether all its boxes are there."""
    COMPLETE = "complete"
    """All boxes are there; the chain is settled."""
    NON_VISUAL = "non-visual"
    """The chain has no box, as a scene or because none can be drawn, and is settled."""
    REVIEW = "review"
    """The chain waits for the decision of an expert."""


class ImageState(StrEnum):
    """The state of an image as a whole."""

    LINKING = "linking"
    """The coreference links of at least one chain are still open."""
    BOXING = "boxing"
    """All links are placed; its chains are verified and get their boxes."""
    REVIEW = "in review"
    """Only chains in review are left, so the image waits for an expert."""
    MERGED = "merged"
    """All chains are settled, and boxes and chains that show the same are merged."""


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
    """Like paused, for good: the requester has what they target."""
    ARCHIVED = "archived"
    """Finished, and out of the lists."""


DRAFT, RUNNING, PAUSED, FINISHED, ARCHIVED = ProjectState

MOVES: dict[ProjectState, dict[ProjectState, str]] = {
    DRAFT: {RUNNING: "Start"},
    RUNNING: {PAUSED: "Pause", FINISHED: "Finish"},
    PAUSED: {RUNNING: "Resume", FINISHED: "Finish"},
    FINISHED: {RUNNING: "Reopen", ARCHIVED: "Archive"},
    ARCHIVED: {FINISHED: "Take out of the archive"},
}
"""From each state: where a project can go from there, each with the name of the button."""


class ProjectMoveError(ValueError):
    """The project cannot go from its present state to the target one."""


def check_move(present: ProjectState, target: ProjectState) -> None:
    """Raise ProjectMoveError, with the states that are possible, if the move is none of `MOVES`."""
    if target not in MOVES[present]:
        possible = " or ".join(state.value for state in MOVES[present])
        raise ProjectMoveError(
            f"A {present.value} project cannot become {target.value}: from here it can become {possible}."
        )
