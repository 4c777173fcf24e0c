"""Sentences of a caption [beyond paper 3.1]: the number of the sentence in which each word stands."""

import re
from bisect import bisect_right
from collections.abc import Sequence

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
BEFORE = "\"'\u2018\u201c\u00ab([.!?\u2026"
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
    before = re.split(r"\s", text[: mark.start()])[-1].lstrip(BEFORE).lower()
    follows = text[mark.end() : mark.end() + 1]
    if points == "." and (before in TITLES or LETTERS.fullmatch(before)):
        return False
    if not space:  # as in a number or an address; somebody may have forgotten the space
        return follows.isupper()
    goes_on = bool(closing) or "\u2026" in points or ".." in points or before in SHORTENED
    return not (goes_on and follows.islower())
