"""Partitions [beyond paper 3.1.1]: the ways in which the mentions of a group can fall into chains.

An array [partitions, mentions] holds the label of each mention's block (its chain): 0, 1, ... in order of first
appearance. No block holds a pair that is ruled out by caption or type.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int16]
Flags = NDArray[np.bool_]
Scores = NDArray[np.float64]

SIZES = 5
"""Blocks of this size and larger count alike."""


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
    return np.array([[bool(own >> other & 1) for other in range(size)] for own in ruled_out]).reshape(size, size)


def all_partitions(ruled_out: Flags, most: int) -> Labels | None:
    """Return all partitions; None if there are more than `most`."""
    labels: Labels = np.zeros((1, 0), dtype=np.int16)
    for mention in range(len(ruled_out)):
        rows, blocks = np.nonzero(_choices(labels, ruled_out[mention]))
        if len(rows) > most:
            return None
        labels = _extended(labels, rows, blocks)
    return labels


def likely_partitions(ruled_out: Flags, weights: Weights, beam: int) -> Labels:
    """Return about the `beam` likeliest partitions: mentions are added one by one, and the best so far are kept."""
    size = len(ruled_out)
    labels: Labels = np.zeros((1, 0), dtype=np.int16)
    reached, words_inside = np.zeros(1), np.zeros((1, size + 1))
    for mention in range(size):
        gains, words_joined = _gains(labels, words_inside, mention, weights)
        rows, blocks = np.nonzero(_choices(labels, ruled_out[mention]))
        totals = reached[rows] + gains[rows, blocks]
        # Of equal partitions the first is kept, so that every machine keeps the same ones.
        kept = np.sort(np.argsort(-totals.round(9), kind="stable")[:beam])
        rows, blocks, reached = rows[kept], blocks[kept], totals[kept]
        labels, words_inside = _extended(labels, rows, blocks), words_inside[rows]
        words_inside[np.arange(len(rows)), blocks] += words_joined[rows, blocks]
    return labels


def _choices(labels: Labels, ruled_out: Flags) -> Flags:
    """Return which blocks the next mention may join [partitions, blocks]; the one after the last is a new block."""
    count, mention = labels.shape
    used = labels.max(axis=1, initial=-1) + 1
    possible: Flags = np.arange(mention + 1)[None, :] <= used[:, None]
    rows, members = np.nonzero(np.broadcast_to(ruled_out[:mention], (count, mention)))
    possible[rows, labels[rows, members]] = False
    return possible


def _gains(labels: Labels, words_inside: Scores, mention: int, weights: Weights) -> tuple[Scores, Scores]:
    """Return two arrays [partitions, blocks] for the next mention joining each block.

    First, what the score gains. Second, the weights of the mention's words with the block's, to add to those inside.
    """
    shape = (len(labels), mention + 1)
    pairs, words, sizes = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    first = np.full(shape, mention)
    rows = np.arange(len(labels))
    for other in range(mention - 1, -1, -1):
        block = labels[:, other]
        pairs[rows, block] += weights.pairs[mention, other]
        words[rows, block] += weights.words[mention, other]
        sizes[rows, block] += 1
        first[rows, block] = other
    by_size = np.concatenate([np.zeros((len(weights.sizes), 1)), weights.sizes, weights.sizes[:, -1:]], axis=1)
    capped = np.minimum(sizes, SIZES)
    inside = words_inside[:, : mention + 1]
    grown = 2 * (inside + words) / (sizes + 1) - 2 * inside / np.maximum(sizes, 1)
    gains: Scores = pairs + grown + by_size[first, capped + 1] - by_size[first, capped]
    return gains, words


def _extended(labels: Labels, rows: NDArray[np.intp], blocks: NDArray[np.intp]) -> Labels:
    extended: Labels = np.concatenate([labels[rows], blocks[:, None].astype(np.int16)], axis=1)
    return extended
