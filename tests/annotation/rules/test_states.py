"""The states that the database and the record hold."""

from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual


def test_a_state_is_stored_under_its_word():
    # Rows and records hold these words: a changed word would orphan what is stored.
    assert ", ".join(ChainState) == (
        "linking, verification, requirement, drawing, quality, coverage, complete, non-visual, review"
    )
    assert ", ".join(ImageState) == "linking, boxing, in review, merged"
    assert ", ".join(BoxState) == "pending, accepted, discarded"
    assert ", ".join(NonVisual) == "scene, no box"
