"""Mention types [paper 3.1.1]: the eight coarse categories; a mention has one or more of them."""

from enum import StrEnum


class MentionType(StrEnum):
    """One of the eight types."""

    PEOPLE = "people"
    CLOTHING = "clothing"
    BODY_PARTS = "body parts"
    ANIMALS = "animals"
    VEHICLES = "vehicles"
    INSTRUMENTS = "instruments"
    SCENE = "scene"
    OTHER = "other"
