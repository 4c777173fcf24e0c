"""Scores: how sure a model is of a part of its reply, by the probabilities of its tokens."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

Tokens = Sequence[tuple[str, float]]
"""Tokens of a reply with their log probabilities."""
ANSWER = re.compile(r'"answer"\s*:\s*"([^"]*)"')
NUMBER = r"\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*"
BOX = re.compile(rf"\[{NUMBER}(?:,{NUMBER}){{3}}\]")


def of_choice(content: str, tokens: Tokens, within: tuple[int, int]) -> float | None:
    """Return the probability of the chosen answer, 0 to 1; None if the server did not tell it.

    `within`: the characters [start, end) of the content that are the answer, without the model's thought.
    """
    found = ANSWER.search(content, *within)
    inside = _logprobs(_ends(content, tokens), tokens, *found.span(1)) if found else []
    return math.exp(sum(inside)) if inside else None


def of_boxes(content: str, tokens: Tokens, within: tuple[int, int]) -> list[float | None]:
    """Return for each box of the answer, in order, the geometric mean of its tokens' probabilities, 0 to 1."""
    ends = _ends(content, tokens)
    spans = [_logprobs(ends, tokens, *found.span()) for found in BOX.finditer(content, *within)]
    return [math.exp(sum(inside) / len(inside)) if inside else None for inside in spans]


def _ends(content: str, tokens: Tokens) -> list[int]:
    """Return the place of the content at which each token ends; none if tokens and text do not agree."""
    if "".join(token for token, _ in tokens) != content:
        return []
    return list(accumulate(len(token) for token, _ in tokens))


def _logprobs(ends: Sequence[int], tokens: Tokens, start: int, end: int) -> list[float]:
    """Return those of the tokens that overlap the characters [start, end)."""
    first, last = bisect_right(ends, start), bisect_left(ends, end)
    return [logprob for _, logprob in tokens[first : last + 1]] if ends else []
