"""Places of task 2."""

from evaluation.foil.tasks.places import NOUNS, WORDS, places_of

TAGS = ("DT", "JJ", "NN", "VBZ", "RB", "IN", "NNS", ".")


def test_nouns_or_all_content_words_are_places() -> None:
    assert places_of(TAGS, 2, NOUNS) == [2, 6]
    assert places_of(TAGS, 2, WORDS) == [1, 2, 3, 4, 6]


def test_the_wrong_word_is_a_place_whatever_its_tag_is() -> None:
    assert places_of(TAGS, 5, NOUNS) == [2, 5, 6]
