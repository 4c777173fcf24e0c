"""Coreference link [paper 3.1.1]: do two mentions refer to the same entity or set of entities?"""

from collections.abc import Sequence
from enum import StrEnum

from annotation.rules.states import ChainState


class Answer(StrEnum):
    SAME = "same"
    DIFFERENT = "different"


class Verdict(StrEnum):
    """What becomes of a chain once its group is placed."""

    SEVERAL = "several mentions"
    DRAW = "one mention, drawn at once"
    ASK = "one mention, box required?"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.LINKING, Verdict.SEVERAL): ChainState.VERIFICATION,
    (ChainState.LINKING, Verdict.DRAW): ChainState.DRAWING,
    (ChainState.LINKING, Verdict.ASK): ChainState.REQUIREMENT,
}


def decide(mentions: Sequence[int], *, drawn_at_once: bool) -> Verdict:
    """Where a chain of these mentions goes when its group is placed and no contradiction is open."""
    if len(mentions) > 1:
        return Verdict.SEVERAL
    return Verdict.DRAW if drawn_at_once else Verdict.ASK
