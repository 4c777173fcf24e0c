"""Places of task 2 [paper Shekhar, Task 2]: the words among which the wrong one is looked for."""

from collections.abc import Sequence

NOUNS, WORDS = "nouns", "words"
PLACES = {NOUNS: ("NN",), WORDS: ("NN", "VB", "JJ", "RB")}
"""The tags of nouns, and of content words: nouns, verbs, adjectives and adverbs."""


def places_of(tags: Sequence[str], wrong: int, kind: str) -> list[int]:
    """Return the places with these tags, and the wrong one whatever its tag is."""
    return [place for place, tag in enumerate(tags) if place == wrong or tag.startswith(PLACES[kind])]
