"""Concepts of chains [paper Wang 4.2]: the lemma of the head noun, the one that most mentions of the chain have."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from evaluation.optional import need


def head(words: Sequence[str]) -> str:
    """Return the last word with a letter or a digit, in lower case; the last word if none has one."""
    return next((word for word in reversed(words) if any(map(str.isalnum, word))), words[-1]).lower()


@cache
def lemma(noun: str) -> str:
    """Return the lemma of a noun in lower case: "men" is "man". Raises MissingExtra without lemminflect."""
    found: tuple[str, ...] = need("lemminflect", "finding the concepts of phrases").getLemma(noun, "NOUN")
    return found[0] if found else noun


def concept(mentions: Iterable[Sequence[str]]) -> str:
    """Return the concept of a chain's mentions, each a sequence of words; ties: the one that was mentioned first."""
    return Counter(lemma(head(words)) for words in mentions).most_common(1)[0][0]
