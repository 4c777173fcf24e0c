"""The life of a project: which moves a requester may make, and what workers read meanwhile."""

import pytest

from annotation.rules.project_life import MOVES, NO_NEW_QUESTIONS, ProjectMoveError, check_move
from annotation.rules.states import ProjectState


def test_from_every_state_there_is_a_way_to_be_finished() -> None:
    for state in ProjectState:
        reached, new = {state}, {state}
        while new:
            new = {after for one in new for after in MOVES[one]} - reached
            reached |= new
        assert ProjectState.FINISHED in reached, state


def test_nothing_becomes_a_draft_again() -> None:
    assert all(ProjectState.DRAFT not in moves for moves in MOVES.values())


def test_only_a_running_project_has_no_words_for_why_it_gives_nothing() -> None:
    assert set(ProjectState) - set(NO_NEW_QUESTIONS) == {ProjectState.RUNNING}


@pytest.mark.parametrize(
    ("present", "wanted"),
    [(one, other) for one in ProjectState for other in ProjectState if one is not other],
    ids=str,
)
def test_a_move_is_possible_exactly_where_there_is_a_button(present: ProjectState, wanted: ProjectState) -> None:
    if wanted in MOVES[present]:
        check_move(present, wanted)
    else:
        with pytest.raises(ProjectMoveError, match=f"A {present} project cannot become {wanted}: from here it can"):
            check_move(present, wanted)
