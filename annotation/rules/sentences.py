"""Sentences of a caption [beyond paper 3.1]: the number of the sentence in which each word stands."""

import re
from collections.abc import Sequence
from itertools import pairwise

ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f](?:[\s\"'\u2019\u201d)]|$)")
SHORTENED = frozenset(("mr", "mrs", "ms", "dr", "st", "mt", "no", "vs", "etc", "e.g", "i.e", "approx"))
"""Words that a point shortens; so does a single letter."""


def sentence_numbers(text: str, words: Sequence[str], offsets: Sequence[int]) -> list[int]:
    """Return for each word the number of its sentence, from 0. `offsets`: where the words begin in the text.

    Marks at the end of a sentence may be words of their own, or stand in the text alone.
    """
    numbers, number = [], 0
    for (start, word), (following, _) in pairwise([*zip(offsets, words, strict=True), (len(text), "")]):
        numbers.append(number)
        plain = word.lower()
        if (len(plain) > 1 or not plain.isalpha()) and plain not in SHORTENED:
            rest = text[start:following] + " " * (following == len(text))
            number += bool(ENDS.search(rest))
    return numbers
