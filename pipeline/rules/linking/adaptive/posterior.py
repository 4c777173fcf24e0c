"""Posterior [beyond paper 3.1.1]: how likely each partition of a group is, after the answers so far."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.rules.linking.prior.partitions import SIZES, Flags, Labels, Scores, Weights


@dataclass(frozen=True, slots=True)
class Posterior:
    """The partitions of a group and their chances.

    `together`: [partitions, mentions, mentions]. `chances`: [partitions], with the sum 1.
    """

    labels: Labels
    together: Flags
    chances: Scores

    def same_and_best(self) -> tuple[Scores, "BestPartition"]:
        return self.same(), self.best()

    def labels_and_chances(self) -> tuple[Labels, Scores]:
        return self.labels, self.chances

    def same(self) -> Scores:
        """Return the chance of each pair to be together [mentions, mentions]."""
        shares: Scores = np.tensordot(self.chances, self.together.astype(np.float64), axes=1)
        return shares

    def best(self) -> "BestPartition":
        """Return the partition with the most right chains in expectation; of equal ones the first."""
        numbers, chances = _blocks(self.together, self.chances)
        sizes = self.together.sum(axis=2)
        # Each chain counts once: a chain of four counts a quarter for each of its mentions.
        expected = (chances[numbers] / sizes).sum(axis=1)
        winner = int(np.argmax(expected.round(9)))
        return BestPartition(self.labels[winner], chances[numbers[winner]])


@dataclass(frozen=True, slots=True)
class BestPartition:
    """The label of each mention's chain, and the chance, 0 to 1, that this chain is right."""

    labels: Labels
    confidence: Scores

    def wrong_chains(self) -> float:
        """Return how many chains are expected to be wrong."""
        chains: dict[int, float] = dict(zip(self.labels.tolist(), self.confidence.tolist(), strict=True))
        return sum(1 - chance for chance in chains.values())


def posterior(labels: Labels, weights: Weights) -> Posterior:
    """Return the chances of these partitions [partitions, mentions] by their weights."""
    together: Flags = labels[:, :, None] == labels[:, None, :]
    pairs = np.tensordot(together, np.triu(weights.pairs, 1), axes=([1, 2], [0, 1]))
    logs = pairs + words_terms(together, weights.words) + _size_terms(labels, together, weights.sizes)
    chances = np.exp(logs - logs.max())
    return Posterior(labels, together, chances / chances.sum())


def chances_of_blocks(labels: Labels, chances: Scores, blocks: Flags) -> list[float]:
    """Return the chance that these mentions are exactly one block, for each of `blocks` [blocks, mentions]."""
    found = []
    for block in blocks:
        own = labels[:, np.argmax(block)]
        found.append(float(chances[((labels == own[:, None]) == block).all(axis=1)].sum()))
    return found


def words_terms(together: Flags, words: Scores) -> Scores:
    """Return what words add to each partition: for a block of s mentions s - 1 times the mean over its pairs.

    Each mention's sum over its block is divided by the block's size; so every pair counts twice.
    """
    own = np.einsum("hij,ij->hi", together, words - np.diag(np.diag(words)))
    terms: Scores = (own / together.sum(axis=2)).sum(axis=1)
    return terms


def _size_terms(labels: Labels, together: Flags, size_scores: Scores) -> Scores:
    sizes = np.minimum(together.sum(axis=2), SIZES)
    before: NDArray[Any] = np.maximum.accumulate(labels, axis=1)
    begins = np.concatenate([np.ones((len(labels), 1), dtype=bool), labels[:, 1:] > before[:, :-1]], axis=1)
    terms: Scores = (size_scores[np.arange(labels.shape[1])[None, :], sizes - 1] * begins).sum(axis=1)
    return terms


def _blocks(together: Flags, chances: Scores) -> tuple[NDArray[np.intp], Scores]:
    """Return the number of each mention's block [partitions, mentions], and the chance of each block by number."""
    packed = np.ascontiguousarray(np.packbits(together, axis=2))
    keys = packed.view([("bits", f"V{packed.shape[2]}")])[..., 0]["bits"]
    _, found = np.unique(keys.reshape(-1), return_inverse=True)
    numbers: NDArray[np.intp] = np.asarray(found).reshape(keys.shape)
    first: Flags = np.argmax(together, axis=2) == np.arange(together.shape[1])
    spread = np.broadcast_to(chances[:, None], numbers.shape)
    totals = np.zeros(numbers.max(initial=0) + 1)
    np.add.at(totals, numbers[first], spread[first])
    return numbers, totals
