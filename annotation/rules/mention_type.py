"""Mention types [paper 3.1.1]: the eight coarse categories; a mention has one or more of them, or it is a pronoun."""

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
