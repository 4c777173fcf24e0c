"""Deciding word [paper 3.1.1]: the word of a phrase by which the dictionaries give the phrase its types."""

from collections.abc import Sequence

from annotation.rules.dictionaries import (
    COLORS,
    DETERMINERS,
    LOOK_THROUGH,
    Dictionaries,
    compared_words,
    types_of,
)
from annotation.rules.singular import singulars

FULL = ("full", "filled")


def deciding_place(words: Sequence[str], dictionaries: Dictionaries) -> int | None:
    """Return the place of the word that decides: the head, or the noun before "of". None: no word of a list does."""
    places = [place for place, word in enumerate(words) if compared_words([word])]
    chunk = [compared_words([words[place]])[0] for place in places]
    if not chunk or types_of(words, _without_terms(dictionaries)) != types_of([], dictionaries):
        return None  # a phrase of colours alone
    first = 0
    while "of" in chunk[first + 1 : -1]:
        at = chunk.index("of", first + 1)
        front = [number for number in range(first, at) if chunk[number] not in FULL]
        if not front:
            return places[at - 1]
        if not any(form in dictionaries.words[LOOK_THROUGH] for form in singulars(chunk[front[-1]])):
            return places[front[-1]]
        first = at + 1
    return places[-1]


def deciding_term(words: Sequence[str], dictionaries: Dictionaries) -> str:
    """Return the term to list under another type, so that the phrase has that type; empty: there is none."""
    place = deciding_place(words, dictionaries)
    if place is None:
        return ""
    chunk = compared_words(words)
    known = dictionaries.types
    for size in range(min(len(chunk), dictionaries.longest), 1, -1):
        for head in singulars(chunk[-1]):
            term = " ".join([*chunk[-size:-1], head])
            if term in known:
                return term
    if "of" in chunk[1:-1]:
        at = chunk.index("of", 1)
        for head in singulars(chunk[at - 1])[1:]:
            if (term := " ".join([head, *chunk[at:]])) in known:
                return term
    word = compared_words([words[place]])[0]
    forms = singulars(word)
    return next((form for form in forms if form in known), forms[min(1, len(forms) - 1)])


def bare_phrase(words: Sequence[str]) -> str:
    """Return the phrase without articles and possessives, as the list of what is not visual holds it."""
    chunk = compared_words(words)
    while chunk and chunk[0] in DETERMINERS:
        chunk = chunk[1:]
    return " ".join(chunk)


def _without_terms(dictionaries: Dictionaries) -> Dictionaries:
    kept = {
        name: words if name in (COLORS, LOOK_THROUGH) else frozenset() for name, words in dictionaries.words.items()
    }
    return Dictionaries(kept)
