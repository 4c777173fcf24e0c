"""Join features [beyond paper 3.1.1]: facts about two chains that a rule of links keeps apart.

Links join no two mentions of one caption, and no mentions without a common type. Some chains break these rules: "the
table" a few words after "a table", "his bicycle hop" of type other for "his bike". What tells them from the many that
are two things are their words, how much their captions overlap, and which types their mentions have.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.mention_type import MentionType
from annotation.rules.transitivity import LinkMention, groups, place_of
from belief.links.partitions import Flags, Scores
from belief.links.text_features import FEATURES, pair_features, phrases_alike

OF_ANY = ("same content words", "same head", "head in other words")
"""Text features that count once if they hold for any mention of one chain and any of the other."""
OF_ALL = (
    "other word shared",
    "number differs",
    "colour differs",
    "gender or age differs",
    "same rank",
    "both first",
    "head in other words",
    "related heads",
    "same word before",
    "context shared",
)
"""Text features that count by the share of the pairs, one mention of either chain, for which they hold."""
OF_CHAINS = (
    "any two chains",
    "no common type",
    "no common type, one caption",
    "scene and other",
    "people and other",
    "thing and other",
    "two captions shared",
    "mentions of the larger",
    "one next to the other",
)
JOIN_FEATURES = (*OF_CHAINS, *(f"any {name}" for name in OF_ANY), *OF_ALL, "phrases alike")
MANY_NAMED_TYPES = {MentionType.ANIMALS, MentionType.VEHICLES, MentionType.INSTRUMENTS}
"""Types of things that go by many names, some of which no list of words has."""
MAX_WORDS_BETWEEN = 1
"""So many words at most, of which one may be "of" or "as", stand between mentions that are next to each other."""
CACHED_IMAGES = 64
"""The number of images whose pairs of chains are kept: of forty chains, 280 kB."""

Chain = Sequence[LinkMention]


class ChainPairs(NamedTuple):
    """All pairs of some chains."""

    apart: Flags
    """[chains, chains]: a rule of links keeps the two apart, or they were planned in two parts of a large group."""
    values: Scores
    """[chains, chains, JOIN_FEATURES]."""
    split: Flags
    """[chains, chains]: no rule keeps the two apart, but parts of a group alone."""


def chain_pairs(chains: Sequence[Chain]) -> ChainPairs:
    """Return what is known of each two chains of one image before anybody is asked. `chains`: in reading order.

    The arrays are shared and cannot be changed.
    """
    return _chain_pairs(tuple(map(tuple, chains)))


@lru_cache(maxsize=CACHED_IMAGES)
def _chain_pairs(chains: tuple[tuple[LinkMention, ...], ...]) -> ChainPairs:
    """Return what `chain_pairs` does. Cached, as an image is planned again after each of its judgments."""
    mentions = [mention for chain in chains for mention in chain]
    owner = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    members = owner == np.arange(len(chains))[:, None]
    captions = _membership(chains, lambda mention: [mention.caption])
    types = _membership(chains, lambda mention: mention.types)
    no_type = types @ types.T == 0
    group_of = {mention.number: number for number, group in enumerate(groups(mentions)) for mention in group}
    in_places = _membership(chains, lambda mention: [place_of(mention)])
    one_place, shared = in_places @ in_places.T > 0, captions @ captions.T
    sizes = members.sum(axis=1)
    features = dict(zip(FEATURES, np.moveaxis(pair_features(mentions), 2, 0), strict=True))
    of_chains = (
        np.ones_like(no_type),
        no_type,
        no_type & (shared > 0),
        _with_other(chains, {MentionType.SCENE}),
        _with_other(chains, {MentionType.PEOPLE}),
        _with_other(chains, MANY_NAMED_TYPES),
        shared > 1,
        np.log(np.maximum(*np.broadcast_arrays(sizes, sizes[:, None]))),
        members @ _next_to_each_other(mentions) @ members.T,
    )
    of_any = [members @ features[name].astype(bool) @ members.T for name in OF_ANY]
    of_all = [*(features[name].astype(np.float64) for name in OF_ALL), phrases_alike(mentions)]
    mean = members / sizes[:, None]
    means = (mean @ feature @ mean.T for feature in of_all)
    values = np.stack([*of_chains, *of_any, *means], axis=2).astype(np.float64)
    together = _membership(chains, lambda mention: [group_of[mention.number]])
    by_rule = (no_type | one_place) & ~np.eye(len(chains), dtype=bool)
    split = (together @ together.T == 0) & ~by_rule
    pairs = ChainPairs(by_rule | split, values, split)
    for array in pairs:
        array.setflags(write=False)
    return pairs


def _membership(chains: Sequence[Chain], keys: Callable[[LinkMention], Iterable[object]]) -> NDArray[np.int_]:
    """Return which chains hold which keys of their mentions [chains, keys], as 0 and 1."""
    numbers: dict[object, int] = {}
    keys_of = [{numbers.setdefault(key, len(numbers)) for name in chain for key in keys(name)} for chain in chains]
    members = np.zeros((len(chains), len(numbers)), dtype=int)
    for place, those in enumerate(keys_of):
        members[place, list(those)] = 1
    return members


def _with_other(chains: Sequence[Chain], kinds: Set[MentionType]) -> Flags:
    """Return which pairs have one of these types in one chain, and type other in the other."""
    types = [{kind for mention in chain for kind in mention.types} for chain in chains]
    has = np.array([not kinds.isdisjoint(chain_types) for chain_types in types], dtype=bool)
    other = np.array([MentionType.OTHER in chain_types for chain_types in types], dtype=bool)
    beside: Flags = has[:, None] & other | other[:, None] & has
    return beside


def _next_to_each_other(mentions: Sequence[LinkMention]) -> Flags:
    begins = np.array([mention.start for mention in mentions])
    ends = np.array([mention.start + len(mention.words) for mention in mentions])
    caption = np.array([mention.caption for mention in mentions])
    gap = begins - ends[:, None]
    after: Flags = (caption == caption[:, None]) & (gap >= 0) & (gap <= MAX_WORDS_BETWEEN)
    return after | after.T


DEFAULT_JOINS = {
    "any two chains": -3.8,
    "no common type": -0.4,
    "no common type, one caption": -1.4,
    "scene and other": 1.1,
    "people and other": 0.8,
    "thing and other": 1.4,
    "two captions shared": -0.7,
    "mentions of the larger": 0.8,
    "one next to the other": 0.4,
    "any same content words": 0.6,
    "any same head": 1.5,
    "any head in other words": 1.4,
    "other word shared": 1.0,
    "number differs": -1.1,
    "colour differs": -0.7,
    "gender or age differs": -0.6,
    "same rank": -1.4,
    "both first": 0.3,
    "head in other words": 1.0,
    "related heads": 1.0,
    "same word before": 0.8,
    "context shared": 0.7,
    "phrases alike": 1.2,
}
"""The weights of a project's first day: rounded from a fit on the 500 public test images of Flickr30k Entities.

Of 9,567 pairs of chains there that a rule keeps apart 294 are one thing.
"""
