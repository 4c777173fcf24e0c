"""Box requirement [paper 3.2.1]: can a box be drawn for a chain, is it a scene, or neither?"""

from collections.abc import Sequence
from enum import IntEnum, StrEnum

from annotation.rules.states import ChainState, NonVisual


class Answer(IntEnum):
    NONE_MISSING = 0
    """A drawer of a chain without a box found none missing: a vote for no box, and neither for 2 nor for 3."""
    BOX = 1
    SCENE = 2
    NO_BOX = 3


class Verdict(StrEnum):
    BOX = "box required"
    NO_BOX = "no box required"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.REQUIREMENT, Verdict.BOX): ChainState.DRAWING,
    (ChainState.REQUIREMENT, Verdict.NO_BOX): ChainState.NON_VISUAL,
}


def decide(votes: Sequence[Answer], *, no_box_votes: int = 2) -> Verdict | None:
    """Read the tally of a chain's whole life. None: ask one more worker."""
    box = votes.count(Answer.BOX)
    no_box = len(votes) - box
    if box > no_box:
        return Verdict.BOX
    if no_box > box and no_box >= no_box_votes:
        return Verdict.NO_BOX
    return None


def unresolved(votes: Sequence[Answer]) -> range:
    """The places of the votes from which nothing has followed in a tally that is open.

    A drawer who found none missing is what brings a chain back: the votes before had led to box drawing.
    """
    back = max((place for place, vote in enumerate(votes) if vote is Answer.NONE_MISSING), default=-1)
    return range(back + 1, len(votes))


def kind_of_non_visual(votes: Sequence[Answer], *, has_scene_mention: bool) -> NonVisual:
    """A scene chain if more judgments say (2) than (3), on a tie if a mention has type scene."""
    scene, no_box = votes.count(Answer.SCENE), votes.count(Answer.NO_BOX)
    is_scene = scene > no_box or (scene == no_box and has_scene_mention)
    return NonVisual.SCENE if is_scene else NonVisual.NO_BOX
