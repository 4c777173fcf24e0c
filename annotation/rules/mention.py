"""Mentions [paper 3.1]: a noun-phrase chunk is one unless it is a pronoun or names nothing to be seen."""

from collections.abc import Sequence

from annotation.rules import dictionaries

PRONOUNS = dictionaries.load_dictionaries().words[dictionaries.PRONOUNS]
NON_VISUAL = dictionaries.load_dictionaries().words[dictionaries.NON_VISUAL]


def is_mention(
    words: Sequence[str],
    *,
    pronouns: frozenset[str] = PRONOUNS,
    non_visual: frozenset[str] = NON_VISUAL,
) -> bool:
    """Whether a chunk is a potential entity mention; both lists hold phrases in small letters.

    A chunk of several words is a pronoun only as a whole ("each other"), and non-visual with or without
    articles, possessives and the like in front: "the background", "her way". One adjective makes it
    a mention again ("a green background"), for somebody found it worth describing.
    """
    chunk = dictionaries.plain_words(words)
    if not chunk or " ".join(chunk) in pronouns:
        return False
    while chunk and chunk[0] in dictionaries.DETERMINERS:
        chunk = chunk[1:]
    return bool(chunk) and " ".join(chunk) not in non_visual
