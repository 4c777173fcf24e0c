"""Mention types [paper 3.1.1]: the eight coarse categories; a mention has one or more of them, or it is a pronoun."""

from collections.abc import Collection, Sequence
from enum import StrEnum


class MentionType(StrEnum):
    """One of the eight types, or that of pronouns, which only projects that keep pronouns have."""

    PEOPLE = "people"
    CLOTHING = "clothing"
    BODY_PARTS = "body parts"
    ANIMALS = "animals"
    VEHICLES = "vehicles"
    INSTRUMENTS = "instruments"
    SCENE = "scene"
    OTHER = "other"
    PRONOUN = "pronoun"


NOUN_TYPES: tuple[MentionType, ...] = tuple(kind for kind in MentionType if kind is not MentionType.PRONOUN)
"""The eight types of the paper."""


T = MentionType
PERSON = (T.PEOPLE,)
THING = tuple(kind for kind in NOUN_TYPES if kind is not T.PEOPLE)
SEVERAL = tuple(kind for kind in NOUN_TYPES if kind is not T.SCENE)
STANDS_FOR = (
    dict.fromkeys(("he", "him", "himself", "she", "her", "herself"), PERSON)
    | dict.fromkeys(("it", "itself"), THING)
    | dict.fromkeys(("they", "them", "themselves"), SEVERAL)
)
"""The types that each pronoun may stand for. What is not in here ("each other", "who", "I") is never a mention."""
ANY = tuple(NOUN_TYPES)


def may_be_mention(words: Sequence[str]) -> bool:
    """Return whether a chunk, in lower case, is a pronoun that can be a mention."""
    return len(words) == 1 and words[0] in STANDS_FOR


def linked_as(types: Collection[str], words: Sequence[str]) -> Collection[str]:
    """Return the types of a mention as links read them; `words`: its words in lower case.

    Other words that an expert gave the type of pronouns may stand for anything.
    """
    if T.PRONOUN.value not in types:
        return types
    allowed = STANDS_FOR.get(words[0], ANY) if len(words) == 1 else ANY
    return {*types, *(kind.value for kind in allowed)} - {T.PRONOUN.value}
