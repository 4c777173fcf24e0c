"""Mentions [paper 3.1]: a noun-phrase chunk is a mention unless it is a pronoun or names nothing visible."""

from collections.abc import Sequence

from annotation.rules import dictionaries
from annotation.rules.comparable import comparable_word
from annotation.rules.pronoun import may_be_mention

PRONOUNS = dictionaries.load_dictionaries().words[dictionaries.PRONOUNS]
NON_VISUAL = dictionaries.load_dictionaries().words[dictionaries.NON_VISUAL]
BEFORE = 4
"""Words before a mention that hint at what it refers to: a preposition, and a word or two of what that belongs to."""


def is_mention(
    words: Sequence[str],
    *,
    pronouns: frozenset[str] = PRONOUNS,
    non_visual: frozenset[str] = NON_VISUAL,
) -> bool:
    """Return whether a chunk is a mention. Both lists hold phrases in lower case.

    A chunk of several words is a pronoun only as a whole ("each other"); one that a project keeps is not on its list.
    A chunk is non-visual with or without articles and possessives ("the background", "her way"). An adjective makes it
    a mention again ("a green background"): what the caption describes can be seen.
    """
    chunk = dictionaries.compared_words(words)
    if not chunk or " ".join(chunk) in pronouns:
        return False
    if may_be_mention(chunk):
        return chunk[0] not in non_visual
    while chunk and chunk[0] in dictionaries.DETERMINERS:
        chunk = chunk[1:]
    return bool(chunk) and " ".join(chunk) not in non_visual


def words_before(words: Sequence[str], start: int) -> str:
    """Return the words of a caption right before its word `start`, joined by spaces: `BEFORE` of them at most.

    They are in their comparable form.
    """
    return " ".join(filter(None, map(comparable_word, words[max(0, start - BEFORE) : start])))
