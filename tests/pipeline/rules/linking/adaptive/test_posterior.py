"""The probability of each partition, by hand on small groups; and the best one."""

import math

import numpy as np
import pytest

from pipeline.rules.linking.adaptive.posterior import Posterior, chances_of_blocks, posterior
from pipeline.rules.linking.prior.partitions import SIZES, Partitions, Weights, all_partitions

FREE = np.zeros((3, 3), dtype=bool)
NONE, EVEN = np.zeros((3, 3)), np.zeros((3, SIZES))


def of_three(
    pairs: np.ndarray = NONE, words: np.ndarray = NONE, sizes: np.ndarray = EVEN
) -> tuple[Posterior, dict[tuple[int, ...], float]]:
    partitions = all_partitions(FREE, 10)
    assert partitions is not None
    belief = posterior(partitions, Weights(pairs, words, sizes))
    return belief, dict(zip(map(tuple, partitions.labels.tolist()), belief.chances.tolist(), strict=True))


def pair(score: float, one: int = 0, another: int = 1) -> np.ndarray:
    scores = np.zeros((3, 3))
    scores[one, another] = scores[another, one] = score
    return scores


def test_without_evidence_all_are_alike() -> None:
    _, chances = of_three()
    assert list(chances.values()) == pytest.approx([0.2] * 5)


def test_a_pair_counts_wherever_it_is_together() -> None:
    belief, chances = of_three(pair(math.log(3)))
    # Together in (0, 0, 0) and (0, 0, 1): three times as likely as the other three.
    assert chances[0, 0, 0] == chances[0, 0, 1] == pytest.approx(3 / 9)
    assert belief.same()[0, 1] == pytest.approx(6 / 9)
    assert belief.same()[0, 2] == pytest.approx(4 / 9)


def test_the_words_of_a_block_count_by_the_mean_of_its_pairs_and_the_links_it_needs() -> None:
    _, chances = of_three(words=pair(math.log(27)))
    # Alone together the pair counts whole; in a chain of three, two links at a third of it each.
    assert chances[0, 0, 1] / chances[0, 1, 2] == pytest.approx(27)
    assert chances[0, 0, 0] / chances[0, 1, 2] == pytest.approx(9)


def test_the_size_of_a_block_counts_once_by_its_first_mention() -> None:
    sizes = EVEN.copy()
    sizes[0, 2] = math.log(4)  # three mentions, the first of them number 0
    sizes[1, 2] = math.log(1000)  # never: such a block would begin with 1 and hold three
    _, chances = of_three(sizes=sizes)
    assert chances[0, 0, 0] == pytest.approx(4 / 8)


def test_the_best_has_the_most_chains_right_and_not_the_likeliest_whole() -> None:
    labels = np.array([[0, 0, 1, 1], [0, 1, 2, 2], [0, 1, 1, 2], [0, 1, 2, 3]], dtype=np.int16)
    belief = Posterior(Partitions(labels), np.array([0.34, 0.30, 0.20, 0.16]))
    best = belief.best()
    # {0} is right in the last three, {1} in two of them, {2, 3} in the first two.
    assert best.labels.tolist() == [0, 1, 2, 2]
    assert best.confidence.tolist() == pytest.approx([0.66, 0.46, 0.64, 0.64])


def test_a_large_chain_counts_as_one() -> None:
    labels = np.array([[0, 0, 0], [0, 1, 2]], dtype=np.int16)
    best = Posterior(Partitions(labels), np.array([0.6, 0.4])).best()
    # One chain with a chance of 0.6, or three with 0.4 each.
    assert best.labels.tolist() == [0, 1, 2]


def test_a_block_is_as_likely_as_the_partitions_that_hold_exactly_it() -> None:
    belief, chances = of_three(pair(math.log(3)))
    wanted = np.array([[True, True, False], [True, True, True], [False, False, True]])
    expected = [chances[0, 0, 1], chances[0, 0, 0], chances[0, 0, 1] + chances[0, 1, 2]]
    assert chances_of_blocks(*belief.labels_and_chances(), wanted) == pytest.approx(expected)
