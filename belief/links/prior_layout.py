"""Layout of a prior [beyond paper 3.1.1]: the row in which the weights of a link prior stand while they are fitted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from annotation.rules.transitivity import LinkMention, can_corefer
from belief.links.alike_heads import head_pair
from belief.links.link_prior import ANY_TYPE, WEIGHED, LinkPrior, block_type
from belief.links.partitions import SIZES, Scores

DIGITS = 4
"""The decimals that a weight keeps, so that the fit is the same on machines whose sums differ in the last digits."""

LEAST_SEEN, MOST_HEADS = 2, 400
"""The fewest groups that give a pair of heads a weight of its own, and the most pairs with one."""


class Layout(NamedTuple):
    """The row in which the weights of a prior stand.

    The common sizes, what each type adds to them, everything in `WEIGHED`, and the pairs of heads.
    """

    kinds: list[str]
    """The types that have size weights of their own."""
    heads: dict[str, int]
    """The pairs of heads that have weights of their own, and their places among these."""
    alike: Mapping[str, float]
    """As in `LinkPrior`."""

    @property
    def features(self) -> int:
        """Return the place of the first feature."""
        return SIZES * (1 + len(self.kinds))

    @property
    def first_head(self) -> int:
        return self.features + len(WEIGHED)

    @property
    def length(self) -> int:
        return self.first_head + len(self.heads)


def layout_of(
    groups: Iterable[Sequence[LinkMention]],
    towards: LinkPrior | None,
    alike: Mapping[str, float] | None = None,
    heads: Iterable[str] = (),
) -> Layout:
    """Return the row of weights for these groups, with everything that the other prior has, and these pairs of heads.

    `alike`: None takes that of the other prior.
    """
    kinds = {block_type([mention]) for mentions in groups for mention in mentions}
    if towards is None:
        return Layout(sorted(kinds), _places(heads), alike or {})
    kinds |= set(towards.sizes) - {ANY_TYPE}
    return Layout(sorted(kinds), _places([*heads, *towards.heads]), towards.alike if alike is None else alike)


def telling_heads(groups: Iterable[Sequence[LinkMention]]) -> list[str]:
    """Return the pairs of heads that enough groups have to give them weights of their own."""
    seen = Counter(pair for mentions in groups for pair in sorted(pairs_of_heads(mentions)))
    return [pair for pair, count in seen.most_common(MOST_HEADS) if count >= LEAST_SEEN]


def pairs_of_heads(mentions: Sequence[LinkMention]) -> set[str]:
    return {head_pair(one.head, other.head) for one, other in combinations(mentions, 2) if can_corefer(one, other)}


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(sorted(set(names)))}


def weights_of(prior: LinkPrior, layout: Layout) -> Scores:
    """Return the weights of a prior as one row."""
    common = np.array(prior.sizes[ANY_TYPE])
    own = [np.array(prior.sizes.get(kind, prior.sizes[ANY_TYPE])) - common for kind in layout.kinds]
    pairs = [prior.pairs.get(name, 0.0) for name in WEIGHED]
    return np.concatenate([common, *own, pairs, [prior.heads.get(pair, 0.0) for pair in layout.heads]])


def prior_of(weights: Scores, layout: Layout, *, fitted_on: int) -> LinkPrior:
    """Return the prior of a row of weights as `weights_of` gives it, rounded."""
    weights = weights.round(DIGITS)
    sizes, features, heads = np.split(weights, [layout.features, layout.first_head])
    common, *own = sizes.reshape(-1, SIZES)
    of_kind = {ANY_TYPE: common} | {kind: common + more for kind, more in zip(layout.kinds, own, strict=True)}
    return LinkPrior(
        sizes={kind: tuple(values.round(DIGITS).tolist()) for kind, values in of_kind.items()},
        pairs=dict(zip(WEIGHED, features.tolist(), strict=True)),
        fitted_on=fitted_on,
        alike=dict(layout.alike),
        heads={pair: weight for pair, weight in zip(layout.heads, heads.tolist(), strict=True) if weight},
    )
