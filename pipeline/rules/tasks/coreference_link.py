"""Coreference link [paper 3.1.1]: do two mentions refer to the same entity or set of entities?"""

from collections.abc import Sequence
from enum import StrEnum

from annotation.rules.states import ChainState


class Answer(StrEnum):
    SAME = "same"
    DIFFERENT = "different"


class Verdict(StrEnum):
    """The way of a chain once all mentions of its group are placed."""

    SEVERAL = "several mentions"
    SURE_DRAW = "several mentions, sure enough, drawn at once"
    SURE_ASK = "several mentions, sure enough, box required?"
    DRAW = "one mention, drawn at once"
    ASK = "one mention, box required?"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.LINKING, Verdict.SEVERAL): ChainState.VERIFICATION,
    (ChainState.LINKING, Verdict.SURE_DRAW): ChainState.DRAWING,
    (ChainState.LINKING, Verdict.SURE_ASK): ChainState.REQUIREMENT,
    (ChainState.LINKING, Verdict.DRAW): ChainState.DRAWING,
    (ChainState.LINKING, Verdict.ASK): ChainState.REQUIREMENT,
}


def decide(mentions: Sequence[int], *, drawn_at_once: bool, sure: bool = False) -> Verdict:
    """Decide where a chain of these mentions goes, once its group is placed and no contradiction is open.

    `sure`: the chain needs no verification.
    """
    if len(mentions) == 1:
        return Verdict.DRAW if drawn_at_once else Verdict.ASK
    if sure:
        return Verdict.SURE_DRAW if drawn_at_once else Verdict.SURE_ASK
    return Verdict.SEVERAL
