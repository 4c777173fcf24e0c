"""Types of mentions [paper 3.1.1]: the eight coarse categories a mention can have one or more of."""

from enum import StrEnum


class MentionType(StrEnum):
    PEOPLE = "people"
    CLOTHING = "clothing"
    BODY_PARTS = "body parts"
    ANIMALS = "animals"
    VEHICLES = "vehicles"
    INSTRUMENTS = "instruments"
    SCENE = "scene"
    OTHER = "other"
