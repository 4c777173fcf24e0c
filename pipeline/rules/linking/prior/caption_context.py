"""Caption context [beyond paper 3.1.1]: the words right before a mention, which hint at what it refers to.

"In a red shirt" and "wearing a shirt" differ in the word before, "a man riding a horse" and "a boy rides a pony" share
the verb.
"""

from functools import lru_cache
from typing import NamedTuple

from annotation.rules.dictionaries import DETERMINERS


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


LITTLE = DETERMINERS | {"and", "at", "by", "for", "from", "in", "of", "on", "or", "with", "'s"}
"""Words that say nothing about the thing itself."""
OF_GRAMMAR = LITTLE | word_set(
    """about above across after against along alongside another are around as atop away be behind being below beside
    between down during front inside into is it its near next off onto other out outside over past that there through to
    toward towards under up upon was were which while who"""
)
"""Words of the context that do not tell what happens in the picture."""
ENDINGS = ("ing", "ed", "es", "s")


class Context(NamedTuple):
    """The words before one mention."""

    last: str
    """The word right before it; empty if there is none."""
    stems: frozenset[str]
    """The stems of the words that tell what happens."""


@lru_cache(maxsize=4096)
def context(before: tuple[str, ...]) -> Context:
    """Return the context of a mention by the words before it, lower-cased."""
    telling = (word for word in before if word not in OF_GRAMMAR and any(character.isalnum() for character in word))
    return Context(before[-1] if before else "", frozenset(map(stem, telling)))


def stem(word: str) -> str:
    """Return the word without a common ending: "riding" and "rides" are "rid", "running" and "runs" are "run"."""
    ending = next((end for end in ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    word = word.removesuffix(ending)
    if len(word) > 3 and word[-1] == word[-2]:
        return word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
