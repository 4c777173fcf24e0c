"""Posterior [beyond paper 3.1.1]: how likely each partition of a group is, after the answers so far."""

from dataclasses import dataclass

import numpy as np

from belief.links.partitions import Flags, Labels, Partitions, Scores, Weights


@dataclass(frozen=True, slots=True)
class Posterior:
    """The partitions of a group and their chances: [partitions], with the sum 1."""

    partitions: Partitions
    chances: Scores

    def same_and_best(self) -> tuple[Scores, "BestPartition"]:
        return self.same(), self.best()

    def labels_and_chances(self) -> tuple[Labels, Scores]:
        return self.partitions.labels, self.chances

    def same(self) -> Scores:
        """Return the chance of each pair to be together [mentions, mentions]."""
        same: Scores = np.eye(self.partitions.labels.shape[1])
        one, another = self.partitions.pairs
        same[one, another] = same[another, one] = self.chances @ self.partitions.together
        return same

    def best(self) -> "BestPartition":
        """Return the partition with the most right chains in expectation; of equal ones the first."""
        known = self.partitions
        rows, _ = known.firsts
        right = np.bincount(known.numbers[known.firsts], weights=self.chances[rows])
        # Each chain counts once, by its first mention.
        expected = np.bincount(rows, weights=right[known.numbers[known.firsts]])
        winner = int(np.argmax(expected.round(9)))
        return BestPartition(known.labels[winner], right[known.numbers[winner]])


@dataclass(frozen=True, slots=True)
class BestPartition:
    """The label of each mention's chain, and the chance, 0 to 1, that this chain is right."""

    labels: Labels
    confidence: Scores

    def wrong_chains(self) -> float:
        """Return how many chains are expected to be wrong."""
        chains: dict[int, float] = dict(zip(self.labels.tolist(), self.confidence.tolist(), strict=True))
        return sum(1 - chance for chance in chains.values())


def posterior(partitions: Partitions, weights: Weights) -> Posterior:
    """Return the chances of these partitions by their weights."""
    pairs = partitions.together @ weights.pairs[partitions.pairs]
    rows, _ = partitions.firsts
    sizes = np.bincount(rows, weights=weights.sizes.ravel()[partitions.places_of_sizes])
    logs = pairs + words_terms(partitions, weights.words) + sizes
    chances = np.exp(logs - logs.max())
    return Posterior(partitions, chances / chances.sum())


def chances_of_blocks(labels: Labels, chances: Scores, blocks: Flags) -> list[float]:
    """Return the chance that these mentions are exactly one block, for each of `blocks` [blocks, mentions]."""
    found = []
    for block in blocks:
        own = labels[:, np.argmax(block)]
        found.append(float(chances[((labels == own[:, None]) == block).all(axis=1)].sum()))
    return found


def words_terms(partitions: Partitions, words: Scores) -> Scores:
    """Return what words add to each partition: for a block of s mentions s - 1 times the mean over its pairs."""
    terms: Scores = partitions.shares @ (words + words.T)[partitions.pairs]
    return terms
