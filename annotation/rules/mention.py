"""Mentions [paper 3.1]: a noun-phrase chunk is a mention unless it is a pronoun or names nothing visible."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from annotation.rules import dictionaries
from annotation.rules.comparable import comparable_word
from annotation.rules.mention_type import may_be_mention

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


CLOSING = r"[\"'\u2019\u201d\u00bb)\]\u300d\u300f\uff09]*"
"""Quotation marks and brackets that close behind the end of a sentence."""
POINTS = re.compile(rf"([.!?\u2026]+)({CLOSING})(\s*)")
"""Marks that may end a sentence."""
ENDS = re.compile(rf"[\u3002\uff01\uff1f\u061f\u06d4\u0964\u0965]+{CLOSING}")
"""Marks that end a sentence whatever follows: of Chinese and Japanese, Arabic and Urdu, and languages of India."""
LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
"""A single letter, and several with points between them: "J.", "e.g.", "U.S."."""
TITLES = frozenset(("mr", "mrs", "ms", "dr", "st", "mt", "no"))
"""Words that a point shortens, and that stand before what they belong to."""
SHORTENED = frozenset(("vs", "etc", "approx"))
"""Words that a point shortens, and that may end a sentence: no small letter follows then."""
OPENING = "\"'\u2018\u201c\u00ab([.!?\u2026"
"""Marks that may stand before a word without a space."""


def sentence_numbers(text: str, offsets: Sequence[int]) -> list[int]:
    """Return for each word the number of its sentence, from 0. `offsets`: where the words begin in the text.

    Marks belong to the sentence that they end, whether they are words, parts of words, or neither.
    """
    always = [mark.end() for mark in ENDS.finditer(text)]
    ends = sorted(always + [mark.end(2) for mark in POINTS.finditer(text) if _ends(mark, text)])
    return [bisect_right(ends, offset) for offset in offsets]


def _ends(mark: re.Match[str], text: str) -> bool:
    """Return whether the mark ends a sentence."""
    points, closing, space = mark.groups()
    before = re.split(r"\s", text[: mark.start()])[-1].lstrip(OPENING).lower()
    follows = text[mark.end() : mark.end() + 1]
    if points == "." and (before in TITLES or LETTERS.fullmatch(before)):
        return False
    if not space:  # as in a number or an address; somebody may have forgotten the space
        return follows.isupper()
    goes_on = bool(closing) or "\u2026" in points or ".." in points or before in SHORTENED
    return not (goes_on and follows.islower())
