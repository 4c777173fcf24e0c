"""Coreference link [paper 3.1.1]: do two mentions refer to the same entity; in a sweep, which of several with one?"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from annotation.rules.states import ChainState
from annotation.rules.transitivity import Pair


class CoreferenceAnswer(StrEnum):
    SAME = "same"
    DIFFERENT = "different"


class PartAnswer(StrEnum):
    """Answers that a project may allow beside those two. A is the mention that the question names first."""

    A_OF_B = "a is part of b"
    B_OF_A = "b is part of a"


PARTS = frozenset(part.value for part in PartAnswer)


class CoreferenceVerdict(StrEnum):
    """The way of a chain once all mentions of its group are placed."""

    SEVERAL = "several mentions"
    SURE_DRAW = "several mentions, sure enough, drawn at once"
    SURE_ASK = "several mentions, sure enough, box required?"
    DRAW = "one mention, drawn at once"
    ASK = "one mention, box required?"


TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (ChainState.LINKING, CoreferenceVerdict.SEVERAL): ChainState.VERIFICATION,
    (ChainState.LINKING, CoreferenceVerdict.SURE_DRAW): ChainState.DRAWING,
    (ChainState.LINKING, CoreferenceVerdict.SURE_ASK): ChainState.REQUIREMENT,
    (ChainState.LINKING, CoreferenceVerdict.DRAW): ChainState.DRAWING,
    (ChainState.LINKING, CoreferenceVerdict.ASK): ChainState.REQUIREMENT,
}


def pairs_of(subject: Sequence[int], order: Callable[[int], Any]) -> list[Pair]:
    """Return the pairs of a link question with these mentions. `order`: the place of a mention in reading order."""
    about, *candidates = subject
    return [(about, other) if order(about) < order(other) else (other, about) for other in candidates]


def replies_in(answer: Any, subject: Sequence[int]) -> list[CoreferenceAnswer | PartAnswer]:
    """Return what an answer says of each pair of a link question. Raises ValueError for what is no answer."""
    if isinstance(answer, dict):
        touched = answer["same"]
        return [CoreferenceAnswer.SAME if n in touched else CoreferenceAnswer.DIFFERENT for n in subject[1:]]
    return [coreference_answer(answer)]


def in_chains(reply: Any) -> Any:
    """Return what an answer, or the outcome of a link, says about chains: a part is "different", all else is itself."""
    return CoreferenceAnswer.DIFFERENT.value if isinstance(reply, str) and reply in PARTS else reply


def means_same(answer: Any) -> bool:
    """Return whether an answer says that the mentions are one thing. Raises ValueError for what is no answer."""
    return CoreferenceAnswer(in_chains(answer)) is CoreferenceAnswer.SAME


def coreference_answer(value: str) -> CoreferenceAnswer | PartAnswer:
    """Return the answer with this value. Raises ValueError for any other value."""
    return PartAnswer(value) if value in PARTS else CoreferenceAnswer(value)


def link_outcome(answers: Sequence[CoreferenceAnswer | PartAnswer]) -> CoreferenceAnswer | PartAnswer:
    """Return what most answers say; "different" if there is no such answer, as where they name different parts."""
    reply, number = Counter(answers).most_common(1)[0]
    return reply if 2 * number > len(answers) else CoreferenceAnswer.DIFFERENT


def needs_verification(mentions: Sequence[int], *, sure: bool = False) -> bool:
    """Return whether a placed chain of these mentions is verified next. `sure`: the link policy is sure without."""
    return len(mentions) > 1 and not sure


def decide_placed(mentions: Sequence[int], *, drawn_at_once: bool) -> CoreferenceVerdict:
    """Decide where a placed chain of these mentions goes that needs no verification."""
    if len(mentions) == 1:
        return CoreferenceVerdict.DRAW if drawn_at_once else CoreferenceVerdict.ASK
    return CoreferenceVerdict.SURE_DRAW if drawn_at_once else CoreferenceVerdict.SURE_ASK
