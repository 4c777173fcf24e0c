"""Colour of a phrase [paper 4.1.3, footnote 4]: its only colour word; never for people, where colours mean race."""

from collections.abc import Sequence

COLORS = ("black", "white", "red", "blue", "green", "yellow", "brown", "grey", "orange", "pink", "purple")
SPELLINGS = {"gray": "grey"}
PEOPLE = "people"


def color_of_phrase(words: Sequence[str], types: Sequence[str], colors: Sequence[str] = COLORS) -> str | None:
    """Return the colour that the phrase names, or None for none, for several, and for a phrase about people."""
    if PEOPLE in types:
        return None
    named = [SPELLINGS.get(word.lower(), word.lower()) for word in words]
    found = [word for word in named if word in colors]
    return found[0] if len(found) == 1 else None
