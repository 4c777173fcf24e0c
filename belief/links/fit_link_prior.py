"""Fit of the link prior [beyond paper 3.1.1]: weights that make what is known of past groups likeliest.

Either the chains of a group are known, or answers that make some of its partitions likelier than others
(`refit_from_answers`). The fit is maximum likelihood over all partitions of each group, penalized by the squares of
the weights' distances from those of another prior, or from 0. Newton's method finds the maximum; of known chains there
is one. A type's size weights are common weights plus its own, so a type with few groups stays near the others. Types
without any have the common weights.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, can_corefer
from belief.links.antecedents import has_sentences
from belief.links.link_prior import ANY_TYPE, PAIR_FEATURES, LinkPrior, block_type, pair_values
from belief.links.partitions import SIZES, Partitions, Scores, all_partitions, ruled_out_matrix
from belief.links.text_features import head_pair

WEIGHT_DIGITS = 4
"""The decimals that a weight keeps, so that the fit is the same on machines whose sums differ in the last digits."""

MIN_SEEN, MAX_HEADS = 2, 400
"""The fewest groups that give a pair of heads a weight of its own, and the most pairs with one."""


class Layout(NamedTuple):
    """The row in which the weights of a prior stand.

    The common sizes, what each type adds to them, everything in `PAIR_FEATURES`, and the pairs of heads.
    """

    kinds: list[str]
    """The types that have size weights of their own."""
    heads: dict[str, int]
    """The pairs of heads that have weights of their own, and their places among these."""
    alike: Mapping[str, float]
    """As in `LinkPrior`."""

    @property
    def features(self) -> int:
        """The place of the first feature."""
        return SIZES * (1 + len(self.kinds))

    @property
    def first_head(self) -> int:
        return self.features + len(PAIR_FEATURES)

    @property
    def length(self) -> int:
        return self.first_head + len(self.heads)


def layout_of(
    groups: Iterable[Sequence[LinkMention]], heads: Iterable[str], alike: Mapping[str, float], kinds: Iterable[str] = ()
) -> Layout:
    """Return the row of weights for these groups, these pairs of heads, and these types beside those of the groups."""
    own = {block_type([mention]) for mentions in groups for mention in mentions}
    places = {pair: place for place, pair in enumerate(sorted(set(heads)))}
    return Layout(sorted(own | (set(kinds) - {ANY_TYPE})), places, alike)


def frequent_heads(groups: Iterable[Sequence[LinkMention]]) -> list[str]:
    """Return the pairs of heads that enough groups have to give them weights of their own."""
    seen = Counter(pair for mentions in groups for pair in sorted(pairs_of_heads(mentions)))
    return [pair for pair, count in seen.most_common(MAX_HEADS) if count >= MIN_SEEN]


def pairs_of_heads(mentions: Sequence[LinkMention]) -> set[str]:
    return {head_pair(a.head, b.head) for a, b in combinations(mentions, 2) if can_corefer(a, b)}


def weights_of(prior: LinkPrior, layout: Layout) -> Scores:
    """Return the weights of a prior as one row."""
    common = np.array(prior.sizes[ANY_TYPE])
    own = [np.array(prior.sizes.get(kind, prior.sizes[ANY_TYPE])) - common for kind in layout.kinds]
    pairs = [prior.pairs.get(name, 0.0) for name in PAIR_FEATURES]
    return np.concatenate([common, *own, pairs, [prior.heads.get(pair, 0.0) for pair in layout.heads]])


def prior_of(weights: Scores, layout: Layout, *, fitted_on: int) -> LinkPrior:
    """Return the prior of a row of weights as `weights_of` gives it, rounded."""
    weights = weights.round(WEIGHT_DIGITS)
    sizes, features, heads = np.split(weights, [layout.features, layout.first_head])
    common, *own = sizes.reshape(-1, SIZES)
    of_kind = {ANY_TYPE: common} | {kind: common + more for kind, more in zip(layout.kinds, own, strict=True)}
    return LinkPrior(
        sizes={kind: tuple(values.round(WEIGHT_DIGITS).tolist()) for kind, values in of_kind.items()},
        pairs=dict(zip(PAIR_FEATURES, features.tolist(), strict=True)),
        fitted_on=fitted_on,
        alike=dict(layout.alike),
        heads={pair: weight for pair, weight in zip(layout.heads, heads.tolist(), strict=True) if weight},
    )


MAX_MENTIONS = 8
MAX_PARTITIONS = 5000
MAX_STEPS = 100
MIN_GAIN = 1e-9
"""The fit ends when a step promises a gain of less than this many nats per group."""
L2 = 3.0
"""The cost of large weights. With a lower cost, weights fitted on 200 images said less about other images."""
HEADS_L2 = 2.0
"""The cost of large weights of pairs of heads."""

GoldGroup = tuple[Sequence[LinkMention], Sequence[Hashable]]
"""The mentions of a group in reading order, and for each the label of its chain."""


class Example(NamedTuple):
    """One group and what is known of its chains, as counts of what the weights weigh."""

    columns: NDArray[np.intp]
    """The numbers of the weights that count in this group."""
    counts: NDArray[np.float32]
    """[partitions, columns]: how often each weight counts."""
    possible: NDArray[np.intp]
    """The numbers of the partitions that can be true: of a group with known chains one."""
    known: Scores
    """[possible]: the logarithm of the likelihood of what is known under each of these, up to a constant."""


Counted = Sequence[tuple[Example, int]]
"""Examples that differ, and how many there are of each."""


def fit_link_prior(
    groups: Iterable[GoldGroup], *, l2: float = L2, alike: Mapping[str, float] | None = None
) -> LinkPrior:
    """Fit the prior for groups like these.

    `l2`: the cost of a weight's square. `alike`: see `alike_heads`. Leaves out groups of one mention, groups of more
    than MAX_MENTIONS, and groups with chains that the rules do not allow (two mentions of one caption, or of no common
    type). Raises ValueError if no group is left.
    """
    small = [group for group in groups if 1 < len(group[0]) <= MAX_MENTIONS]
    phrases = [mentions for mentions, _ in small]
    layout = layout_of(phrases, frequent_heads(phrases), alike or {})
    examples = [example for mentions, chains in small if (example := _example(mentions, chains, layout))]
    if not examples:
        raise ValueError("No group has known chains that the rules allow: there is nothing to learn from.")
    costs = np.full(layout.length, l2)
    costs[layout.first_head :] = max(l2, HEADS_L2)
    return prior_of(maximise(examples, np.zeros(layout.length), costs), layout, fitted_on=len(examples))


def _example(mentions: Sequence[LinkMention], chains: Sequence[Hashable], layout: Layout) -> Example | None:
    partitions = partitions_of(mentions)
    if partitions is None:
        return None
    true = np.flatnonzero((partitions.labels == _in_order(chains)).all(axis=1))
    return Example(*count_weights(partitions, mentions, layout), true, np.zeros(1)) if len(true) else None


def partitions_of(mentions: Sequence[LinkMention]) -> Partitions | None:
    """Return the partitions of a group; None if there are too many to fit on, or if its captions have sentences."""
    if has_sentences(mentions):
        return None
    return all_partitions(ruled_out_matrix(link_group(tuple(mentions)).ruled_out), MAX_PARTITIONS)


def count_weights(
    partitions: Partitions, mentions: Sequence[LinkMention], layout: Layout
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the columns and the counts of an example."""
    own = [1 + layout.kinds.index(block_type([mention])) for mention in mentions]
    sizes = np.concatenate([SIZES * kind + np.arange(SIZES) for kind in (0, *sorted(set(own)))])
    of_pairs, heads = _values_of_pairs(mentions, layout)
    counts = np.concatenate([_size_counts(partitions, own)[:, sizes], _pair_counts(partitions, of_pairs)], axis=1)
    features = layout.features + np.arange(len(PAIR_FEATURES))
    columns: NDArray[np.intp] = np.concatenate([sizes, features, layout.first_head + heads])
    return columns, counts.astype(np.float32)


def _values_of_pairs(mentions: Sequence[LinkMention], layout: Layout) -> tuple[Scores, NDArray[np.intp]]:
    """Return the values of every pair [mentions, mentions, values], and which heads the values after WEIGHED are of."""
    pairs = sorted(layout.heads[pair] for pair in pairs_of_heads(mentions) if pair in layout.heads)
    numbers = {number: place for place, number in enumerate(pairs)}
    values = np.zeros((len(mentions), len(mentions), len(pairs)))
    for first, second in combinations(range(len(mentions)), 2):
        number = layout.heads.get(head_pair(mentions[first].head, mentions[second].head))
        if number in numbers:
            values[first, second, numbers[number]] = 1
    return np.concatenate([pair_values(mentions, layout.alike), values], axis=2), np.array(pairs, dtype=np.intp)


def _in_order(chains: Sequence[Hashable]) -> list[int]:
    names = {chain: place for place, chain in enumerate(dict.fromkeys(chains))}
    return [names[chain] for chain in chains]


def _size_counts(partitions: Partitions, own: Sequence[int]) -> NDArray[np.int64]:
    """Count the blocks of each size [partitions, SIZES for each kind]; a block counts for kind 0 and for its own."""
    counts = np.zeros((len(partitions.labels), SIZES * (1 + max(own))), dtype=np.int64)
    rows, mentions = partitions.firsts
    size = np.minimum(partitions.sizes[rows, mentions], SIZES) - 1
    np.add.at(counts, (rows, size), 1)
    np.add.at(counts, (rows, SIZES * np.array(own)[mentions] + size), 1)
    return counts


def _pair_counts(partitions: Partitions, of_pairs: Scores) -> Scores:
    """Sum the values of joined pairs [partitions, values], each times 2 / the size of its block (see Weights)."""
    counts: Scores = 2 * partitions.shares @ of_pairs[partitions.pairs]
    return counts


def maximise(examples: Sequence[Example], towards: Scores, l2: float | Scores, start: Scores | None = None) -> Scores:
    """Return the best weights by Newton's method from `start`, or from `towards`.

    `l2`: the cost of a weight's distance from `towards`, for all or for each.
    """
    costs = np.broadcast_to(np.asarray(l2, dtype=np.float64), towards.shape)
    counted = _counted(examples)
    start = towards if start is None else start
    return climb(lambda weights: _likelihood(counted, weights, towards, costs), start, MIN_GAIN * len(examples))


Likelihood = Callable[[Scores], tuple[float, Scores, Scores]]
"""Returns for weights a value, its gradient, and its second derivatives with the sign changed."""


def climb(likelihood: Likelihood, weights: Scores, min_gain: float) -> Scores:
    """Return the weights of the largest value by Newton's method; a step is halved until it gains.

    Ends when a step promises a gain of less than `min_gain`.
    """
    value, gradient, curvature = likelihood(weights)
    for _ in range(MAX_STEPS):
        step = np.linalg.solve(curvature, gradient)
        if float(gradient @ step) / 2 < min_gain:
            break
        while (tried := likelihood(weights + step))[0] < value:
            step /= 2
        weights, (value, gradient, curvature) = weights + step, tried
    return weights


def _counted(examples: Sequence[Example]) -> Counted:
    """Count equal examples: small groups of common words, with the same answers, are weighed once."""
    keys = [tuple((part.shape, part.tobytes()) for part in example) for example in examples]
    first = dict(zip(reversed(keys), reversed(examples), strict=True))
    return [(first[key], times) for key, times in Counter(keys).items()]


def _likelihood(examples: Counted, weights: Scores, towards: Scores, l2: Scores) -> tuple[float, Scores, Scores]:
    """Return the penalised log likelihood, its gradient, and its second derivatives with the sign changed.

    Where these would lead away from the maximum, as they can while answers leave much open, those of known chains take
    their place: with them every small step gains.
    """
    value = -float(l2 @ (weights - towards) ** 2) / 2
    gradient, of_free = -l2 * (weights - towards), np.diag(l2)
    of_known = np.zeros_like(of_free)
    for (columns, whole, possible, known), times in examples:
        counts = whole.astype(np.float64)
        logs = counts @ weights[columns]
        free, expected, spread = _moments(counts, logs)
        answered, observed, spread_left = _moments(counts[possible], logs[possible] + known)
        value += times * (answered - free)
        gradient[columns] += times * (observed - expected)
        square = np.ix_(columns, columns)
        of_free[square] += times * spread
        of_known[square] += times * spread_left
    curvature = of_free - of_known
    return value, gradient, curvature if _is_above(curvature, l2.min() / 2) else of_free


def _is_above(curvature: Scores, least: float) -> bool:
    """Return whether every eigenvalue of a symmetric matrix is above `least`: then there is a Cholesky factor."""
    try:
        np.linalg.cholesky(curvature - least * np.eye(len(curvature)))
    except np.linalg.LinAlgError:
        return False
    return True


def _moments(counts: Scores, logs: Scores) -> tuple[float, Scores, Scores]:
    """Return the logarithm of the sum of the chances, and the mean and the covariance of the counts by them."""
    chances = np.exp(logs - logs.max())
    total = float(chances.sum())
    chances /= total
    mean = chances @ counts
    centred = counts - mean
    return float(logs.max()) + float(np.log(total)), mean, centred.T @ (chances[:, None] * centred)
