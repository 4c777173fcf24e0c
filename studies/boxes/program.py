"""A simulated program that proposes boxes: a given share is good; it proposes a box even where none is needed."""

from random import Random

from studies.boxes.chain_run import Proposed
from studies.boxes.world import Chain

SCORE_GOOD, SCORE_BAD, SCORE_SD = 0.65, 0.35, 0.2
"""The mean score of good and of bad boxes, and the standard deviation of both."""


def proposed_boxes(chain: Chain, share: float, seed: int, *, scores: bool) -> list[Proposed]:
    """Return a box for each entity of the chain, in a random order; for a chain without a box one that is bad.

    A box is good with the chance `share`. With `scores` good boxes tend to have higher ones, from 0 to 1.
    """
    random = Random(f"{seed} program {chain.number}")
    order = random.sample(range(chain.boxes), chain.boxes)
    entities = [one if random.random() < share else None for one in order] or [None]
    return [Proposed(one, _score(random, one) if scores else None) for one in entities]


def _score(random: Random, entity: int | None) -> float:
    return min(max(random.gauss(SCORE_BAD if entity is None else SCORE_GOOD, SCORE_SD), 0.0), 1.0)
