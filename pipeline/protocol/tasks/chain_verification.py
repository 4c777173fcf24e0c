"""Chain verification [paper 3.1.2]: do all mentions of a chain refer to the same set of entities?"""

from collections.abc import Iterable
from enum import StrEnum

from annotation.rules.states import ChainState


class VerificationAnswer(StrEnum):
    TRUE = "true"
    FALSE = "false"


class VerificationVerdict(StrEnum):
    DRAW = "verified, drawn at once"
    ASK = "verified, box required?"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.VERIFICATION, VerificationVerdict.DRAW): ChainState.DRAWING,
    (ChainState.VERIFICATION, VerificationVerdict.ASK): ChainState.REQUIREMENT,
}


def decide_verification(*, drawn_at_once: bool) -> VerificationVerdict:
    """Decide where a chain goes once it is verified, or a part of a broken chain: neither is verified again."""
    return VerificationVerdict.DRAW if drawn_at_once else VerificationVerdict.ASK


def split_by_head_noun(heads: Iterable[tuple[int, str]]) -> list[list[int]]:
    """Break a chain into the subsets that share a head noun. `heads`: (mention, head noun) in reading order."""
    subsets: dict[str, list[int]] = {}
    for mention, head in heads:
        subsets.setdefault(head, []).append(mention)
    return list(subsets.values())
