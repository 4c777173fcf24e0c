"""The words of a phrase tell how many boxes it needs, or that they do not."""

from pipeline.rules.boxing.prior.phrase_class import PhraseClass, Reading, read_phrase

READINGS = {
    "a dog": ("one", 1),
    "one of the men": ("one", 1),
    "car number 452": ("one", 1),
    "two dogs": ("number", 2),
    "both men": ("number", 2),
    "a couple": ("number", 2),
    "3 men": ("number", 3),
    "some dogs": ("plural", 1),
    "the children": ("plural", 1),
    "blue jeans": ("pair", 1),
    "two jeans": ("number", 2),
    "a crowd of people": ("group", 1),
    "green grass": ("mass", 1),
}


def test_a_phrase_is_read_by_its_number_its_group_word_or_its_head() -> None:
    found = {phrase: read_phrase(tuple(phrase.split()), phrase.split()[-1]) for phrase in READINGS}
    assert found == {phrase: Reading(PhraseClass(kind), number) for phrase, (kind, number) in READINGS.items()}


def test_the_head_decides_and_not_the_last_word() -> None:
    assert read_phrase(("dogs", "in", "grass"), "dogs").kind is PhraseClass.PLURAL
