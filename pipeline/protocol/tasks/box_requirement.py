"""Box requirement [paper 3.2.1]: can a box be drawn for a chain, is it a scene, or neither?"""

from collections.abc import Sequence
from enum import IntEnum, StrEnum

from annotation.rules.states import ChainState, NonVisual


class RequirementAnswer(IntEnum):
    NONE_MISSING = 0
    """A worker was asked to draw the first box and found none missing: a vote for no box, of neither kind 2 nor 3."""
    BOX = 1
    SCENE = 2
    NO_BOX = 3


class RequirementVerdict(StrEnum):
    BOX = "box required"
    NO_BOX = "no box required"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.REQUIREMENT, RequirementVerdict.BOX): ChainState.DRAWING,
    (ChainState.REQUIREMENT, RequirementVerdict.NO_BOX): ChainState.NON_VISUAL,
}


def decide_requirement(votes: Sequence[RequirementAnswer], *, no_box_votes: int) -> RequirementVerdict | None:
    """Decide by all votes of a chain since it was made. None: ask one more worker.

    A majority decides; "no box" also needs `no_box_votes` votes.
    """
    box = votes.count(RequirementAnswer.BOX)
    no_box = len(votes) - box
    if box > no_box:
        return RequirementVerdict.BOX
    if no_box > box and no_box >= no_box_votes:
        return RequirementVerdict.NO_BOX
    return None


def unresolved(votes: Sequence[RequirementAnswer]) -> range:
    """Return the positions of the votes of an open tally that have not led to a step yet.

    A NONE_MISSING vote brings a chain back from box drawing, so all votes before it had led there.
    """
    back = max((position for position, vote in enumerate(votes) if vote is RequirementAnswer.NONE_MISSING), default=-1)
    return range(back + 1, len(votes))


def kind_of_non_visual(votes: Sequence[RequirementAnswer], *, has_scene_mention: bool) -> NonVisual:
    """Decide why a chain has no box: it is a scene if more votes say (2) than (3), or on a tie if a mention is one."""
    scene, no_box = votes.count(RequirementAnswer.SCENE), votes.count(RequirementAnswer.NO_BOX)
    is_scene = scene > no_box or (scene == no_box and has_scene_mention)
    return NonVisual.SCENE if is_scene else NonVisual.NO_BOX
