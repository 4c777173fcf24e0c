"""The types of the paper."""

from annotation.rules.dictionaries import FOLDER
from annotation.rules.mention_type import NOUN_TYPES, MentionType


def test_there_are_the_eight_types_of_the_paper():
    names = "people, clothing, body parts, animals, vehicles, instruments, scene, other"
    assert ", ".join(NOUN_TYPES) == names
    assert set(MentionType) == {*NOUN_TYPES, MentionType.PRONOUN}


def test_every_type_has_a_word_list():
    assert all((FOLDER / f"{kind.replace(' ', '_')}.txt").exists() for kind in NOUN_TYPES)
