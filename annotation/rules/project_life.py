"""Life of a project [paper 3]: the moves between its states that a requester may make."""

from annotation.rules.states import ProjectState

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
    """The project cannot go from its present state to the wanted one."""


def check_move(present: ProjectState, wanted: ProjectState) -> None:
    """Raise ProjectMoveError, with the states that are possible, if the move is none of `MOVES`."""
    if wanted not in MOVES[present]:
        possible = " or ".join(state.value for state in MOVES[present])
        raise ProjectMoveError(
            f"A {present.value} project cannot become {wanted.value}: from here it can become {possible}."
        )
