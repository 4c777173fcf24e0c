"""Metrics of coreference: chains by two sources, their counts of an image, and precision, recall and F of the sums."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.optional import need

Mention = Hashable
Chains = list[frozenset[Mention]]
"""The chains of an image. No mention is in two of them."""


class PhrasePlace(NamedTuple):
    """A phrase of an image by its place: the caption, and its words from `start` up to `end`, all from 0."""

    caption: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ImageMentions:
    chain_of: Mapping[PhrasePlace, Hashable]
    """The name of each mention's chain."""
    types: Mapping[PhrasePlace, Collection[str]]
    """The types of each mention."""


class ChainPair(NamedTuple):
    """Gold and response of an image, which may have mentions that the other side lacks."""

    gold: Chains
    response: Chains


def chains_of_mentions(chain_of: Mapping[PhrasePlace, Hashable], mentions: Collection[PhrasePlace]) -> Chains:
    found: dict[Hashable, list[PhrasePlace]] = defaultdict(list)
    for mention in sorted(mentions):
        found[chain_of[mention]].append(mention)
    return [frozenset(members) for members in found.values()]


def compared(gold: ImageMentions, response: ImageMentions, kind: str = "") -> ChainPair:
    """Return the chains of each side's own mentions, as the scorers of the field count them.

    With `kind` of those of this type: by gold, or by the response for a mention that gold lacks.
    """
    sides = []
    for side in (gold, response):
        own = [
            mention
            for mention in side.chain_of
            if not kind or kind in (gold if mention in gold.types else side).types[mention]
        ]
        sides.append(chains_of_mentions(side.chain_of, own))
    return ChainPair(*sides)


def common(gold: ImageMentions, response: ImageMentions) -> tuple[ImageMentions, ImageMentions]:
    """Return both sides with the mentions alone that both have."""
    both = gold.chain_of.keys() & response.chain_of.keys()
    sides = [
        ImageMentions({mention: side.chain_of[mention] for mention in both}, side.types) for side in (gold, response)
    ]
    return sides[0], sides[1]


def without_singletons(pair: ChainPair) -> ChainPair:
    """Return the chains of several mentions, of each side."""
    return ChainPair(*([chain for chain in side if len(chain) > 1] for side in pair))


class ScoreCounts(NamedTuple):
    """The numerators and denominators of one image, or of many added up."""

    right_of_response: float
    """The part of the response that is right, in the metric's unit ..."""
    response: float
    """... of the whole response: their ratio is the precision."""
    right_of_gold: float
    """The part of gold that the response has ..."""
    gold: float
    """... of all gold: their ratio is the recall."""


def shared(first: frozenset[object], chains: list[frozenset[object]]) -> list[int]:
    """Return how many mentions the chain shares with each of the others, without those that share none."""
    return [count for chain in chains if (count := len(first & chain))]


def links(size: int) -> int:
    """Return the number of pairs among so many mentions."""
    return size * (size - 1) // 2


def muc(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the fewest links that make the chains [Vilain and others 1995]. Chains of one mention have none."""
    return ScoreCounts(*_muc_links(response, gold), *_muc_links(gold, response))


def _muc_links(chains: Chains, others: Chains) -> tuple[int, int]:
    found = links = 0
    for chain in chains:
        parts = shared(chain, others)
        alone = len(chain) - sum(parts)
        found += len(chain) - len(parts) - alone
        links += len(chain) - 1
    return found, links


def b_cubed(gold: Chains, response: Chains) -> ScoreCounts:
    """Return for all mentions the share of the chain that the other side has [Bagga and Baldwin 1998], and the number.

    A mention that the other side lacks has share 0.
    """
    return ScoreCounts(*_b_cubed_shares(response, gold), *_b_cubed_shares(gold, response))


def _b_cubed_shares(chains: Chains, others: Chains) -> tuple[float, int]:
    shares = sum(count * count / len(chain) for chain in chains for count in shared(chain, others))
    return shares, sum(map(len, chains))


def ceaf_mentions(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the mentions that aligned chains share (φ3), of all mentions [Luo 2005].

    Chains of both sides are aligned one to one, as similar as they can be in all.
    """
    shared = _aligned(gold, response, lambda both, _: both)
    return ScoreCounts(shared, sum(map(len, response)), shared, sum(map(len, gold)))


def ceaf_entities(gold: Chains, response: Chains) -> ScoreCounts:
    """Return how similar aligned chains are (φ4: twice what they share by their mentions), of all [Luo 2005]."""
    similar = _aligned(gold, response, lambda both, sizes: 2 * both / sizes)
    return ScoreCounts(similar, len(response), similar, len(gold))


def _aligned(gold: Chains, response: Chains, similarity: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    if not gold or not response:
        return 0.0
    both = np.array([[len(chain & other) for other in response] for chain in gold], dtype=float)
    sizes = np.array([[len(chain) + len(other) for other in response] for chain in gold], dtype=float)
    values = similarity(both, sizes)
    rows, columns = need("scipy.optimize", "pairing chains").linear_sum_assignment(values, maximize=True)
    return float(values[rows, columns].sum())


def same_links(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the pairs of mentions that are one thing [Recasens and Hovy 2011; Luo and others 2014]."""
    both = _same_in_both(gold, response)
    return ScoreCounts(both, _same(response), both, _same(gold))


def different_links(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the pairs of mentions that are two things. A mention that the other side lacks is in no pair there."""
    mentions, others = (frozenset().union(*side) for side in (gold, response))
    common = mentions & others
    same_of_gold, same_of_response = (_same([chain & common for chain in side]) for side in (gold, response))
    both = links(len(common)) - same_of_gold - same_of_response + _same_in_both(gold, response)
    return ScoreCounts(both, links(len(others)) - _same(response), both, links(len(mentions)) - _same(gold))


def _same(chains: Chains) -> int:
    return sum(links(len(chain)) for chain in chains)


def _same_in_both(gold: Chains, response: Chains) -> int:
    return sum(links(len(chain & other)) for chain in gold for other in response)


def lea(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the shares of each chain's links that the other side has, weighed by mentions [Moosavi and Strube 2016].

    A chain of one mention has one link, to itself.
    """
    return ScoreCounts(*_lea_links(response, gold), *_lea_links(gold, response))


def _lea_links(chains: Chains, others: Chains) -> tuple[float, int]:
    alone = {chain for chain in others if len(chain) == 1}
    found = 0.0
    for chain in chains:
        if len(chain) == 1:
            found += chain in alone
        else:
            shared = sum(links(len(chain & other)) for other in others)
            found += len(chain) * shared / links(len(chain))
    return found, sum(map(len, chains))


def exact(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the chains that both sides have with exactly the same mentions."""
    both = len({*gold} & {*response})
    return ScoreCounts(both, len(response), both, len(gold))


METRICS: Mapping[str, Sequence[Callable[[Chains, Chains], ScoreCounts]]] = {
    "MUC": (muc,),
    "B3": (b_cubed,),
    "CEAFm": (ceaf_mentions,),
    "CEAFe": (ceaf_entities,),
    "BLANC": (same_links, different_links),
    "LEA": (lea,),
    "exact": (exact,),
}
"""A metric of several kinds of counts is the mean of what each gives."""
NAMED_SCORES = [(name, kind) for name, kinds in METRICS.items() for kind in kinds]
OF_CONLL = ("MUC", "B3", "CEAFe")
"""The metrics whose F make up the average of the CoNLL tasks [Pradhan and others 2012]."""
CONLL = "CoNLL"
COLUMNS = (*(f"{name}.{part}" for name in METRICS for part in "PRF"), CONLL)


def counts_of(pair: ChainPair) -> np.ndarray:
    """Return the counts of an image, of shape (kinds, 4)."""
    return np.array([kind(*pair) for _, kind in NAMED_SCORES], dtype=float)


def scores(counts: np.ndarray) -> np.ndarray:
    """Return the figures in percent, of shape (..., COLUMNS).

    `counts`: of shape (..., kinds, 4), added up over images. A figure is NaN where neither side has anything of which
    it could be a share: MUC, if there is no chain of two mentions.
    """
    right, of = counts[..., [0, 2]], counts[..., [1, 3]]
    share = np.divide(right, of, out=np.zeros_like(of), where=of > 0)
    total = share.sum(axis=-1)
    middle = np.divide(2 * share.prod(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    every = np.concatenate([share, middle[..., None]], axis=-1)
    every[(of == 0).all(axis=-1)] = np.nan
    names = np.array([name for name, _ in NAMED_SCORES])
    with np.errstate(invalid="ignore"):
        found = {name: _mean(every[..., names == name, :]) for name in METRICS}
    conll = np.mean([found[name][..., 2] for name in OF_CONLL], axis=0)
    together = np.concatenate([*found.values(), conll[..., None]], axis=-1)
    percent: np.ndarray = 100 * together
    return percent


def _mean(kinds: np.ndarray) -> np.ndarray:
    """Return the mean over the kinds, of shape (..., 3). A kind of which there is nothing is left out."""
    there = ~np.isnan(kinds)
    number = there.sum(axis=-2)
    total = np.where(there, kinds, 0).sum(axis=-2)
    mean: np.ndarray = np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)
    return mean
