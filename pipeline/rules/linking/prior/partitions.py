"""Partitions [beyond paper 3.1.1]: the ways in which the mentions of a group can fall into chains.

An array [partitions, mentions] holds the label of each mention's block (its chain): 0, 1, ... in order of first
appearance. No block holds a pair that is ruled out by caption or type.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int16]
Flags = NDArray[np.bool_]
Scores = NDArray[np.float64]

SIZES = 5
"""Blocks of this size and larger count alike."""

GROUPS = 128
"""The number of groups whose partitions are kept: 40 kB each at most."""


class Weights(NamedTuple):
    """The weights by which partitions are likelier or less likely: logarithms, up to a constant."""

    pairs: Scores
    """[mentions, mentions]: what a pair adds if it is together."""
    words: Scores
    """[mentions, mentions]: a block of s mentions adds s - 1 times the mean over its pairs.

    The sum over all pairs would count the words of large chains many times over: an odd mention is odd in every pair.
    """
    sizes: Scores
    """[mentions, SIZES]: what a block adds that begins with the mention, by the block's size."""


def ruled_out_matrix(ruled_out: Sequence[int]) -> Flags:
    """Return an array [mentions, mentions] from sets of positions (see `transitivity`)."""
    size = len(ruled_out)
    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(own.to_bytes(width, "little") for own in ruled_out), dtype=np.uint8)
    return np.unpackbits(packed.reshape(size, width), axis=1, count=size, bitorder="little").astype(bool)


def all_partitions(ruled_out: Flags, most: int) -> Labels | None:
    """Return all partitions; None if there are more than `most`. The array is shared and cannot be changed."""
    return _all_partitions(ruled_out.tobytes(), len(ruled_out), most)


@lru_cache(maxsize=GROUPS)
def _all_partitions(ruled_out: bytes, size: int, most: int) -> Labels | None:
    apart = np.frombuffer(ruled_out, dtype=bool).reshape(size, size)
    labels: Labels = np.zeros((1, 0), dtype=np.int16)
    for mention in range(size):
        rows, blocks = np.nonzero(_choices(labels, apart[mention]))
        if len(rows) > most:
            return None
        labels = _extended(labels, rows, blocks)
    labels.setflags(write=False)
    return labels


def _choices(labels: Labels, ruled_out: Flags) -> Flags:
    """Return which blocks the next mention may join [partitions, blocks]; the one after the last is a new block."""
    count, mention = labels.shape
    used = labels.max(axis=1, initial=-1) + 1
    possible: Flags = np.arange(mention + 1)[None, :] <= used[:, None]
    rows, members = np.nonzero(np.broadcast_to(ruled_out[:mention], (count, mention)))
    possible[rows, labels[rows, members]] = False
    return possible


def _extended(labels: Labels, rows: NDArray[np.intp], blocks: NDArray[np.intp]) -> Labels:
    extended: Labels = np.concatenate([labels[rows], blocks[:, None].astype(np.int16)], axis=1)
    return extended
