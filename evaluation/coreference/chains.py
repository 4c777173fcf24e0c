"""Chains of an image: which mentions are one thing, by two sources, on all mentions of each or on common ones."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
    """The mentions of an image."""

    chain_of: Mapping[PhrasePlace, Hashable]
    """The name of each mention's chain."""
    types: Mapping[PhrasePlace, Collection[str]]
    """The types of each mention."""


class ChainPair(NamedTuple):
    """Gold and response of an image, which may have mentions that the other side lacks."""

    gold: Chains
    response: Chains


def chains_of_mentions(chain_of: Mapping[PhrasePlace, Hashable], mentions: Collection[PhrasePlace]) -> Chains:
    """Return the chains of these mentions, which all have one."""
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
