"""Chains of an image: which mentions are one thing, by two sources, on all mentions of each or on common ones."""

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
    """Gold and response of an image, which may have mentions that the other side lacks."""

    gold: Chains
    response: Chains


def chains_of(chain_of: Mapping[Place, Hashable], mentions: Collection[Place]) -> Chains:
    """Return the chains of these mentions, which all have one."""
    found: dict[Hashable, list[Place]] = defaultdict(list)
    for mention in sorted(mentions):
        found[chain_of[mention]].append(mention)
    return [frozenset(members) for members in found.values()]


def compared(gold: Marked, response: Marked, kind: str = "") -> Pair:
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
        sides.append(chains_of(side.chain_of, own))
    return Pair(*sides)


def common(gold: Marked, response: Marked) -> tuple[Marked, Marked]:
    """Return both sides with the mentions alone that both have."""
    both = gold.chain_of.keys() & response.chain_of.keys()
    sides = [Marked({mention: side.chain_of[mention] for mention in both}, side.types) for side in (gold, response)]
    return sides[0], sides[1]


def without_singletons(pair: Pair) -> Pair:
    """Return the chains of several mentions, of each side."""
    return Pair(*([chain for chain in side if len(chain) > 1] for side in pair))
