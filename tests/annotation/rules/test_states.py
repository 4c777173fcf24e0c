"""The states that the database and the record hold."""

from itertools import permutations

from annotation.rules import states
from annotation.rules.states import MOVES, BoxState, ChainState, ImageState, ProjectMoveError, ProjectState


def test_a_state_is_stored_under_its_word():
    # Rows and records hold these words: a changed word would orphan what is stored.
    assert ", ".join(ChainState) == (
        "linking, verification, requirement, drawing, quality, coverage, complete, non-visual, review"
    )
    assert ", ".join(ImageState) == "linking, boxing, in review, merged"
    assert ", ".join(BoxState) == "pending, accepted, discarded"
    assert ", ".join(states.NonVisual) == "scene, no box"


def test_from_every_state_there_is_a_way_to_be_finished() -> None:
    for state in ProjectState:
        reached, new = {state}, {state}
        while new:
            new = {after for one in new for after in MOVES[one]} - reached
            reached |= new
        assert ProjectState.FINISHED in reached, state


def test_nothing_becomes_a_draft_again() -> None:
    assert all(ProjectState.DRAFT not in moves for moves in MOVES.values())


def refusal(present: ProjectState, wanted: ProjectState) -> str:
    """Return why the move is refused, or nothing if it is not."""
    try:
        states.check_move(present, wanted)
    except ProjectMoveError as error:
        return str(error)
    return ""


def test_a_move_is_possible_exactly_where_there_is_a_button() -> None:
    for present, wanted in permutations(ProjectState, 2):
        said = refusal(present, wanted)
        if wanted in MOVES[present]:
            assert said == "", f"{present} to {wanted}"
        else:
            assert f"A {present} project cannot become {wanted}: from here it can" in said, f"{present} to {wanted}"
