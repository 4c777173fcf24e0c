"""A simulated program that proposes boxes: it is right as often as a given share says."""

from functools import lru_cache
from random import Random

from studies.boxes.chain_run import Proposed
from studies.boxes.world import Chain, World, made_chain

SCORE_GOOD, SCORE_BAD, SCORE_SD = 0.65, 0.35, 0.2
"""The mean score of good and of bad boxes, and the standard deviation of both."""
OTHERS = 1_000_000
"""The first number of the chains that a program mistakes a chain for; no study plays as many."""
DRAWN = 4_000
"""The chains over which a program's chance to show an entity is found."""


def proposed_boxes(world: World, chain: Chain, share: float, seed: int, *, scores: bool) -> list[Proposed]:
    """Return the boxes that the program proposes for a chain, in a random order; often none for one without a box.

    Of all its boxes the share `share` is good. With the chance `share` there are as many as the chain needs, else as
    many as another chain needs: so boxes are too few, or too many and then bad. With `scores` good boxes tend to have
    higher ones, from 0 to 1.
    """
    random = Random(f"{seed} program {chain.number}")
    number = _number(world, chain, share, seed)
    found = random.sample(range(chain.boxes), min(number, chain.boxes))
    shows = _shows(world, share)
    entities = [one if random.random() < shows else None for one in found] + [None] * (number - len(found))
    random.shuffle(entities)
    return [Proposed(one, _score(random, one) if scores else None) for one in entities]


def _number(world: World, chain: Chain, share: float, seed: int) -> int:
    random = Random(f"{seed} number {chain.number}")
    return chain.boxes if random.random() < share else made_chain(world, seed, OTHERS + chain.number).boxes


@lru_cache
def _shows(world: World, share: float) -> float:
    """Return how many of the boxes that have an entity must show it, so that the share of all boxes is good."""
    chains = [made_chain(world, 0, number) for number in range(DRAWN)]
    numbers = [_number(world, chain, share, 0) for chain in chains]
    there = sum(min(number, chain.boxes) for number, chain in zip(numbers, chains, strict=True))
    return min(share * sum(numbers) / there, 1.0)


def _score(random: Random, entity: int | None) -> float:
    return min(max(random.gauss(SCORE_BAD if entity is None else SCORE_GOOD, SCORE_SD), 0.0), 1.0)
