"""Phrase vectors [beyond paper 3.1.1]: how alike two phrases are in meaning, by vectors that stand in the record.

A package of word vectors turns each phrase into a vector when its image is imported
(`pipeline.learning.vectors_of_phrases`), so a record replays to the same plans on a service without that package.
Everything is counted in whole numbers until the last division: each machine finds the same values.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention
from belief.links.partitions import Scores

SIZE = 64
"""The numbers of a vector. With all 256 of the package, gold chains are no likelier."""
STEPS = 7
"""A number is kept as one of -7 to 7 parts of the largest: a hexadecimal digit."""
NO_RIVAL = 0.2
"""The likeness of a usual phrase, where a caption has no other phrase in the group."""


def packed(vectors: NDArray[np.floating]) -> list[str]:
    """Return each vector [phrases, SIZE] as SIZE hexadecimal digits; "" for one of zeros, which says nothing."""
    largest = np.abs(vectors).max(axis=1, initial=0, keepdims=True)
    digits = np.rint(vectors / np.where(largest, largest, 1) * STEPS).astype(int) + STEPS
    some = largest[:, 0] > 0
    return ["".join(f"{digit:x}" for digit in row) if says else "" for row, says in zip(digits, some, strict=True)]


def phrases_alike(mentions: Sequence[LinkMention]) -> Scores:
    """Return how much more alike two phrases are than rivals [mentions, mentions]: about -2 to 2, 0 where unknown.

    Twice the cosine of their vectors, less the largest cosine of the first with any other phrase of the second's
    caption, and of the second with any other phrase of the first's. So "a man" and "a boy" are rather one thing where
    no caption has both. Unknown are phrases without a vector, and two of one caption. `mentions`: one group.
    """
    if not any(mention.vector for mention in mentions):
        return np.zeros((len(mentions), len(mentions)))
    vectors = np.array([_unpacked(mention.vector) for mention in mentions])
    dots = vectors @ vectors.T
    lengths = np.sqrt(dots.diagonal())
    known = lengths > 0
    cosines = dots / np.maximum(np.outer(lengths, lengths), 1)
    caption = np.array([mention.caption for mention in mentions])
    one_caption = caption[:, None] == caption
    rivals = np.full(cosines.shape, NO_RIVAL)
    for place, others in enumerate(one_caption & known):
        others[place] = False
        if others.any():
            rivals[:, place] = cosines[:, others].max(axis=1)
    values: Scores = 2 * cosines - rivals - rivals.T
    return np.where(one_caption | ~known | ~known[:, None], 0.0, values)


def _unpacked(vector: str) -> list[int]:
    return [int(digit, 16) - STEPS for digit in vector] if vector else [0] * SIZE
