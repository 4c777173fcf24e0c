"""The word that decides a phrase's types, and the term by which the lists change them."""

from annotation.rules.deciding_word import bare_phrase, deciding_place, deciding_term
from annotation.rules.dictionaries import Dictionaries, load_dictionaries, types_of
from annotation.rules.mention_type import MentionType

LISTS = load_dictionaries()


def test_the_deciding_word_listed_under_another_type_changes_the_phrase() -> None:
    for phrase, word, term in [
        ("a brown dog", "dog", "dog"),
        ("several dogs .", "dogs", "dog"),
        ("a group of young men", "men", "man"),
        ("a room full of people", "room", "room"),
        ("a pair of old jeans", "jeans", "jeans"),
        ("a hot dog", "dog", "hot dog"),
        ("two bottles of water", "water", "bottle of water"),
        ("an orange", "orange", "orange"),
        ("a zorble", "zorble", "zorble"),
    ]:
        words = phrase.split()
        place = deciding_place(words, LISTS)
        assert place is not None, phrase
        assert (words[place], deciding_term(words, LISTS)) == (word, term)
        without = {name: terms - {term} if name in tuple(MentionType) else terms for name, terms in LISTS.words.items()}
        for kind in (MentionType.VEHICLES, MentionType.SCENE):
            lists = {**without, kind: without[kind] | {term}}
            assert types_of(words, Dictionaries(lists)) == (kind,), phrase


def test_no_word_of_colours_or_of_punctuation_decides() -> None:
    for phrase in ("red and black", "dark blue", "...", ""):
        assert deciding_place(phrase.split(), LISTS) is None, phrase
        assert deciding_term(phrase.split(), LISTS) == "", phrase


def test_a_bare_phrase_has_no_article() -> None:
    assert bare_phrase(["The", "background"]) == "background"
