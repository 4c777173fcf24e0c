"""Hidden chains: those that the rules of links cannot make, as one thing has two types or is twice in a caption."""

import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from annotation.rules.transitivity import LinkMention, reading_order
from belief.links.join_features import chain_pairs
from belief.links.link_prior import LinkPrior
from simulation.predict.belief import ACROSS
from simulation.predict.subject import Subject

Chain = list[int]


def join_chains(
    chains: Sequence[Chain], image: Subject, prior: LinkPrior, share: float, draw: random.Random
) -> list[Chain]:
    """Return the chains with this share of them, 0 to 1, joined to others to which links cannot join them.

    Partners are drawn by the odds that the prior gives them.
    """
    mentions = {mention.number: mention for mention in image.for_links()}
    left = [list(chain) for chain in chains]
    for chain in chains:
        if draw.random() >= share:
            continue
        mine = next((one for one in left if chain[0] in one), chain)
        across, twice = _partners(mine, left, mentions)
        if partners := (across if draw.random() < ACROSS else twice) or across or twice:
            left.remove(mine)
            draw.choices(partners, list(_odds(mine, partners, mentions, prior)))[0].extend(mine)
    return left


def _partners(
    mine: Chain, left: Sequence[Chain], mentions: Mapping[int, LinkMention]
) -> tuple[list[Chain], list[Chain]]:
    """Return the chains that have no type of this one and no caption either, and those with a type and a caption."""
    across: list[Chain] = []
    twice: list[Chain] = []
    captions, types = _captions(mine, mentions), _types(mine, mentions)
    for one in left:
        apart = types.isdisjoint(_types(one, mentions))
        same_caption = not captions.isdisjoint(_captions(one, mentions))
        if one is not mine and apart != same_caption:
            (across if apart else twice).append(one)
    return across, twice


def _captions(chain: Chain, mentions: Mapping[int, LinkMention]) -> set[int]:
    return {mentions[number].caption for number in chain}


def _types(chain: Chain, mentions: Mapping[int, LinkMention]) -> set[str]:
    return {kind for number in chain for kind in mentions[number].types}


def _odds(
    mine: Chain, partners: Sequence[Chain], mentions: Mapping[int, LinkMention], prior: LinkPrior
) -> Iterator[float]:
    """Yield the odds of each partner to be one thing with the chain, by what their words and types tell."""
    for partner in partners:
        pair = sorted(
            (sorted((mentions[number] for number in chain), key=reading_order) for chain in (mine, partner)),
            key=lambda chain: reading_order(chain[0]),
        )
        yield float(np.exp(chain_pairs(pair).values[0, 1] @ prior.join_weights()))
