import pytest

from reports.words import ADJECTIVES, COLORS, FILLERS, adjectives_of, category_of, noun_of


@pytest.mark.parametrize(
    ("phrase", "noun", "adjectives", "category"),
    [
        ("A young man", "man", {"young"}, "man"),
        ("the big brown Dogs", "dogs", {"big", "brown"}, "dogs"),
        ("a dark blue", None, {"dark", "blue"}, ""),
        ("a young male", "male", {"young"}, "male"),
        ("two", None, set(), ""),
        ("a baseball player", "player", set(), "baseball player"),
        ("a group of older women", "women", {"older"}, "group women"),
        ("an orange hat .", "hat", {"orange"}, "hat"),
        ("a white dog 's white tail", "tail", {"white"}, "dog tail"),
        ("42", None, set(), ""),
    ],
)
def test_it_takes_phrases_apart(phrase: str, noun: str | None, adjectives: set[str], category: str):
    words = phrase.split()
    assert (noun_of(words), adjectives_of(words), category_of(words)) == (noun, adjectives, category)


def test_the_lists_are_in_small_letters_and_hold_no_word_twice_over():
    assert all(word == word.lower() for word in ADJECTIVES | FILLERS)
    assert not ADJECTIVES & FILLERS
    assert COLORS < ADJECTIVES
