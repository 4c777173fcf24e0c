"""Atom visual [beyond paper 3]: can the meaning of a word be seen in a picture?

A survey for oracle captioning: an atom is the lemma of an entity, an action or an attribute.
"""

from enum import StrEnum

EXAMPLES = 3
"""Captions with their pictures that are shown with an atom."""


class Category(StrEnum):
    """The kind of an atom."""

    ENTITY = "entity"
    ACTION = "action"
    ATTRIBUTE = "attribute"


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
