"""Chains of an image: which mentions are one thing, by two sources, on the mentions that both have."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

Mention = Hashable
Chains = list[frozenset[Mention]]
"""The chains of an image. No mention is in two of them."""


class Place(NamedTuple):
    """A phrase of an image by its place: the caption, and its words from `start` up to `end`, all from 0."""

    caption: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marked:
    """The mentions of an image."""

    chain_of: Mapping[Place, Hashable]
    """The name of each mention's chain."""
    types: Mapping[Place, Collection[str]]
    """The types of each mention."""


class Pair(NamedTuple):
    """Gold and response of an image, of the same mentions."""

    gold: Chains
    response: Chains


def chains_of(chain_of: Mapping[Place, Hashable], mentions: Collection[Place]) -> Chains:
    """Return the chains of these mentions, which all have one."""
    found: dict[Hashable, list[Place]] = defaultdict(list)
    for mention in sorted(mentions):
        found[chain_of[mention]].append(mention)
    return [frozenset(own) for own in found.values()]


def compared(gold: Marked, response: Marked, kind: str = "") -> Pair:
    """Return the chains of the mentions that both have; with `kind`, of those that gold gives this type."""
    both = gold.chain_of.keys() & response.chain_of.keys()
    own = [mention for mention in both if not kind or kind in gold.types[mention]]
    return Pair(chains_of(gold.chain_of, own), chains_of(response.chain_of, own))


def without_singletons(pair: Pair) -> Pair:
    """Return the chains of several mentions, of each side."""
    return Pair(*([chain for chain in side if len(chain) > 1] for side in pair))
