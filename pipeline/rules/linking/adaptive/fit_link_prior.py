"""Fit of the link prior [beyond paper 3.1.1]: weights that make the known chains of past groups likeliest.

The fit is maximum likelihood over all partitions of each group, with a penalty on the squares of the weights. This
objective has one maximum, which Newton's method finds. A type's size weights are common weights plus its own, so a type
with little gold stays near the others. Types without gold have the common weights.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.rules.linking.adaptive.link_prior import ANY_TYPE, LinkPrior, block_type
from pipeline.rules.linking.adaptive.partitions import SIZES, Labels, Scores, all_partitions, ruled_out_matrix
from pipeline.rules.linking.adaptive.text_features import FEATURES, pair_features
from pipeline.rules.linking.link_evidence import link_group
from pipeline.rules.linking.transitivity import LinkMention

MOST_PARTITIONS = 5000
MOST_STEPS = 100
PRECISE = 1e-9
"""The fit ends when a step promises a gain of less than this many nats per group."""
L2 = 3.0
"""The cost of large weights. With a lower cost, weights fitted on 200 images said less about other images."""
DIGITS = 4
"""The decimals that a weight keeps, so that the fit is the same on machines whose sums differ in the last digits."""

GoldGroup = tuple[Sequence[LinkMention], Sequence[Hashable]]
"""The mentions of a group in reading order, and for each the label of its chain."""


class Example(NamedTuple):
    """One group with known chains, as counts of what the weights weigh."""

    columns: NDArray[np.intp]
    """The numbers of the weights that count in this group."""
    counts: NDArray[np.float32]
    """[partitions, columns]: how often each weight counts."""
    gold: int
    """The number of the true partition."""


def fit_link_prior(
    groups: Iterable[GoldGroup],
    *,
    l2: float = L2,
    most_mentions: int = 8,
    done: Callable[[int, float], None] = lambda step, gain: None,
) -> LinkPrior:
    """Fit the prior for groups like these. `done` is called with each step's number and its promised gain in nats.

    Leaves out groups of one mention, groups of more than `most_mentions`, and groups with chains that the rules do not
    allow (two mentions of one caption, or of no common type). Raises ValueError if no group is left.
    """
    small = [group for group in groups if 1 < len(group[0]) <= most_mentions]
    kinds = sorted({block_type([mention]) for mentions, _ in small for mention in mentions})
    examples = [example for mentions, chains in small if (example := _example(mentions, chains, kinds))]
    if not examples:
        raise ValueError("No group has known chains that the rules allow: there is nothing to learn from.")
    weights = _maximise(examples, SIZES * (1 + len(kinds)) + len(FEATURES), l2, done).round(DIGITS)
    common, *own = weights[: -len(FEATURES)].reshape(-1, SIZES)
    sizes = {ANY_TYPE: common} | {kind: common + more for kind, more in zip(kinds, own, strict=True)}
    return LinkPrior(
        sizes={kind: tuple(values.round(DIGITS).tolist()) for kind, values in sizes.items()},
        pairs=dict(zip(FEATURES, weights[-len(FEATURES) :].tolist(), strict=True)),
        fitted_on=len(examples),
    )


def _example(mentions: Sequence[LinkMention], chains: Sequence[Hashable], kinds: Sequence[str]) -> Example | None:
    partitions = all_partitions(ruled_out_matrix(link_group(tuple(mentions)).ruled_out), MOST_PARTITIONS)
    if partitions is None:
        return None
    found = np.flatnonzero((partitions == _in_order(chains)).all(axis=1))
    if not len(found):
        return None
    own = [1 + kinds.index(block_type([mention])) for mention in mentions]
    sizes = np.concatenate([SIZES * kind + np.arange(SIZES) for kind in (0, *sorted(set(own)))])
    features = SIZES * (1 + len(kinds)) + np.arange(len(FEATURES))
    counts = np.concatenate([_size_counts(partitions, own)[:, sizes], _pair_counts(partitions, mentions)], axis=1)
    return Example(np.concatenate([sizes, features]), counts.astype(np.float32), int(found[0]))


def _in_order(chains: Sequence[Hashable]) -> list[int]:
    """Rename the labels of a partition to 0, 1, ... in order of first appearance."""
    names = {chain: place for place, chain in enumerate(dict.fromkeys(chains))}
    return [names[chain] for chain in chains]


def _size_counts(partitions: Labels, own: Sequence[int]) -> NDArray[np.int64]:
    """Count the blocks of each size [partitions, SIZES for each kind]; a block counts for kind 0 and for its own."""
    together = partitions[:, :, None] == partitions[:, None, :]
    begins = ~np.tril(together, -1).any(axis=2)
    size = np.minimum(together.sum(axis=2), SIZES) - 1
    counts = np.zeros((len(partitions), SIZES * (1 + max(own))), dtype=np.int64)
    rows = np.arange(len(partitions))
    for mention, kind in enumerate(own):
        for offset in (0, SIZES * kind):
            counts[rows, offset + size[:, mention]] += begins[:, mention]
    return counts


def _pair_counts(partitions: Labels, mentions: Sequence[LinkMention]) -> Scores:
    """Sum the features of joined pairs [partitions, FEATURES], each times 2 / the size of its block (see Weights)."""
    one, another = np.triu_indices(len(mentions), 1)
    sizes = (partitions[:, :, None] == partitions[:, None, :]).sum(axis=2)
    together = (partitions[:, one] == partitions[:, another]) * 2 / sizes[:, one]
    counts: Scores = together @ pair_features(mentions)[one, another]
    return counts


def _maximise(examples: Sequence[Example], size: int, l2: float, done: Callable[[int, float], None]) -> Scores:
    """Return the best weights by Newton's method; a step is halved until it gains."""
    weights: Scores = np.zeros(size)
    value, gradient, curvature = _likelihood(examples, weights, l2)
    for number in range(MOST_STEPS):
        step = np.linalg.solve(curvature, gradient)
        promised = float(gradient @ step) / 2
        done(number, promised)
        if promised < PRECISE * len(examples):
            break
        while (tried := _likelihood(examples, weights + step, l2))[0] < value:
            step /= 2
        weights, (value, gradient, curvature) = weights + step, tried
    return weights


def _likelihood(examples: Sequence[Example], weights: Scores, l2: float) -> tuple[float, Scores, Scores]:
    """Return the penalised log likelihood, its gradient, and its second derivatives with the sign changed."""
    value = -l2 / 2 * float(weights @ weights)
    gradient, curvature = -l2 * weights, l2 * np.eye(len(weights))
    for columns, whole, gold in examples:
        counts = whole.astype(np.float64)
        logs = counts @ weights[columns]
        chances = np.exp(logs - logs.max())
        total = chances.sum()
        chances /= total
        expected = chances @ counts
        value += float(logs[gold] - logs.max() - np.log(total))
        gradient[columns] += counts[gold] - expected
        centred = counts - expected
        curvature[np.ix_(columns, columns)] += centred.T @ (chances[:, None] * centred)
    return value, gradient, curvature
