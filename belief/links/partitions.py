"""Partitions [beyond paper 3.1.1]: the ways in which the mentions of a group can fall into chains, and their chances.

An array [partitions, mentions] holds the label of each mention's block (its chain): 0, 1, ... in order of first
appearance. No block holds a pair that is ruled out by caption or type. The posterior is how likely each of them is,
after the answers so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int16]
Flags = NDArray[np.bool_]
Scores = NDArray[np.float64]
Places = NDArray[np.intp]

SIZES = 5
"""Blocks of this size and larger count alike."""

CACHED_GROUPS = 128
"""The number of groups whose partitions are kept, and what was derived from them: 1.5 MB each at most."""


class PartitionWeights(NamedTuple):
    """The weights by which partitions are likelier or less likely: logarithms, up to a constant."""

    pairs: Scores
    """[mentions, mentions]: what a pair adds if it is together."""
    words: Scores
    """[mentions, mentions]: a block of s mentions adds s - 1 times the mean over its pairs.

    The sum over all pairs would count the words of large chains many times over: an odd mention is odd in every pair.
    """
    sizes: Scores
    """[mentions, SIZES]: what a block adds that begins with the mention, by the block's size."""
    antecedents: Scores | None = None
    """[mentions, mentions]: a mention that joins a block adds the logarithm of the sum over the block's earlier ones.

    None where they tell nothing. Only the beam reads them.
    """


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions of a group, and what weighing them needs after each answer. Its arrays are not to be changed."""

    labels: Labels

    @cached_property
    def pairs(self) -> tuple[Places, Places]:
        """The first and the second mention of each pair."""
        one, another = np.triu_indices(self.labels.shape[1], 1)
        return one, another

    @cached_property
    def together(self) -> Scores:
        """[partitions, pairs]: 1 where a pair is together, else 0."""
        one, another = self.pairs
        together: Scores = (self.labels[:, one] == self.labels[:, another]).astype(np.float64)
        return together

    @cached_property
    def shares(self) -> Scores:
        """[partitions, pairs]: 1 by the size of the block in which a pair is together, else 0."""
        shares: Scores = self.together / self.sizes[:, self.pairs[0]]
        return shares

    @cached_property
    def sizes(self) -> Places:
        """[partitions, mentions]: the size of each mention's block."""
        sizes: Places = (self.labels[:, :, None] == self.labels[:, None, :]).sum(axis=2)
        return sizes

    @cached_property
    def numbers(self) -> Places:
        """[partitions, mentions]: the number of each mention's block; a block has one number in all partitions."""
        packed = np.packbits(self.labels[:, :, None] == self.labels[:, None, :], axis=2)
        keys = np.ascontiguousarray(packed).view([("bits", f"V{packed.shape[2]}")])[..., 0]["bits"]
        found: Places = np.unique(keys.reshape(-1), return_inverse=True)[1].reshape(keys.shape)
        return found

    @cached_property
    def firsts(self) -> tuple[Places, Places]:
        """The partition of each block of each partition, and its first mention."""
        before = np.maximum.accumulate(self.labels, axis=1)
        begins = np.ones(self.labels.shape, dtype=bool)
        begins[:, 1:] = self.labels[:, 1:] > before[:, :-1]
        rows, mentions = np.nonzero(begins)
        return rows, mentions

    @cached_property
    def blocks(self) -> Flags:
        """[blocks, mentions]: the mentions of each block, by its number."""
        blocks: Flags = np.zeros((self.numbers.max() + 1, self.labels.shape[1]), dtype=bool)
        blocks[self.numbers, np.arange(self.labels.shape[1])] = True
        return blocks

    def sums(self, of_blocks: Scores) -> Scores:
        """Return the sum over the blocks of each partition [partitions]. `of_blocks`: by their numbers [blocks]."""
        rows, _ = self.firsts
        sums: Scores = np.bincount(rows, of_blocks[self.numbers[self.firsts]]).astype(np.float64, copy=False)
        return sums

    @cached_property
    def places_of_sizes(self) -> Places:
        """The place in the raveled weights of sizes of each of `firsts`."""
        places: Places = SIZES * self.firsts[1] + np.minimum(self.sizes[self.firsts], SIZES) - 1
        return places


def ruled_out_matrix(ruled_out: Sequence[int]) -> Flags:
    """Return an array [mentions, mentions] from sets of positions (see `transitivity`)."""
    size = len(ruled_out)
    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(positions.to_bytes(width, "little") for positions in ruled_out), dtype=np.uint8)
    return np.unpackbits(packed.reshape(size, width), axis=1, count=size, bitorder="little").astype(bool)


def all_partitions(ruled_out: Flags, limit: int) -> Partitions | None:
    """Return all partitions; None if there are more than `limit`."""
    return _all_partitions(ruled_out.tobytes(), len(ruled_out), limit)


@lru_cache(maxsize=CACHED_GROUPS)
def _all_partitions(ruled_out: bytes, size: int, limit: int) -> Partitions | None:
    apart = np.frombuffer(ruled_out, dtype=bool).reshape(size, size)
    labels: Labels = np.zeros((1, 0), dtype=np.int16)
    for mention in range(size):
        rows, blocks = np.nonzero(_choices(labels, apart[mention]))
        if len(rows) > limit:
            return None
        labels = _extended(labels, rows, blocks)
    labels.setflags(write=False)
    return Partitions(labels)


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


@dataclass(frozen=True, slots=True)
class Posterior:
    """The partitions of a group and their chances: [partitions], with the sum 1."""

    partitions: Partitions
    chances: Scores

    def same_and_best(self) -> tuple[Scores, "BestPartition"]:
        return self.same(), self.best()

    def labels_and_chances(self) -> tuple[Labels, Scores]:
        return self.partitions.labels, self.chances

    def with_blocks(self, added: Scores) -> "Posterior":
        """Return the posterior after each block [blocks] has added this to the logarithms of the chances."""
        logs = self.partitions.sums(added)
        chances = self.chances * np.exp(logs - logs.max())
        return Posterior(self.partitions, chances / chances.sum())

    def blocks(self) -> tuple[Flags, Scores]:
        """Return the mentions of each block [blocks, mentions], and its chance."""
        return self.partitions.blocks, self._of_blocks()

    def same(self) -> Scores:
        """Return the chance of each pair to be together [mentions, mentions]."""
        same: Scores = np.eye(self.partitions.labels.shape[1])
        one, another = self.partitions.pairs
        same[one, another] = same[another, one] = self.chances @ self.partitions.together
        return same

    def best(self) -> "BestPartition":
        """Return the partition with the most right chains in expectation; of equal ones the first."""
        known = self.partitions
        right = self._of_blocks()
        expected = known.sums(right)
        winner = int(np.argmax(expected.round(9)))
        return BestPartition(known.labels[winner], right[known.numbers[winner]])

    def _of_blocks(self) -> Scores:
        rows, _ = self.partitions.firsts
        found = np.bincount(self.partitions.numbers[self.partitions.firsts], weights=self.chances[rows])
        of_block: Scores = found.astype(np.float64, copy=False)
        return of_block


@dataclass(frozen=True, slots=True)
class BestPartition:
    """The label of each mention's chain, and the chance, 0 to 1, that this chain is right."""

    labels: Labels
    confidence: Scores

    def wrong_chains(self) -> float:
        """Return how many chains are expected to be wrong."""
        chains: dict[int, float] = dict(zip(self.labels.tolist(), self.confidence.tolist(), strict=True))
        return sum(1 - chance for chance in chains.values())


def posterior(partitions: Partitions, weights: PartitionWeights) -> Posterior:
    """Return the chances of these partitions by their weights."""
    pairs = partitions.together @ weights.pairs[partitions.pairs]
    rows, _ = partitions.firsts
    sizes = np.bincount(rows, weights=weights.sizes.ravel()[partitions.places_of_sizes])
    logs = pairs + words_terms(partitions, weights.words) + sizes
    chances = np.exp(logs - logs.max())
    return Posterior(partitions, chances / chances.sum())


def chances_of_blocks(labels: Labels, chances: Scores, blocks: Flags) -> list[float]:
    """Return the chance that these mentions are exactly one block, for each of `blocks` [blocks, mentions]."""
    chances_of = []
    for block in blocks:
        label = labels[:, np.argmax(block)]
        chances_of.append(float(chances[((labels == label[:, None]) == block).all(axis=1)].sum()))
    return chances_of


def words_terms(partitions: Partitions, words: Scores) -> Scores:
    """Return what words add to each partition: for a block of s mentions s - 1 times the mean over its pairs."""
    terms: Scores = partitions.shares @ (words + words.T)[partitions.pairs]
    return terms
