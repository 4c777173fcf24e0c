"""Planted errors: labels of a data set made wrong in the ways that audits report, in a stated share of its chains.

An error touches one gold chain, or two if phrases change their chain. No chain is touched twice. Errors of phrases keep
the two rules of links, so that no rule finds them without an answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

from pipeline.protocol.state.mention_progress import MentionProgress
from simulation.spoiled_image import UNDONE, Kind, SpoiledImage, Wronged
from simulation.view import GoldChain, GoldImage

OF_PHRASES = (Kind.MERGED, Kind.SPLIT, Kind.MISPLACED)
OF_BOXES = (
    *(Kind.SHIFTED, Kind.LARGE, Kind.PART, Kind.ELSEWHERE, Kind.SWAPPED, Kind.MISSING),
    *(Kind.GROUPED, Kind.EXTRA, Kind.NEEDLESS, Kind.FORGOTTEN),
)
SHARES: Mapping[Kind, float] = {
    Kind.MERGED: 0.08,
    Kind.SPLIT: 0.10,
    Kind.MISPLACED: 0.12,
    Kind.SHIFTED: 0.10,
    Kind.LARGE: 0.08,
    Kind.PART: 0.06,
    Kind.ELSEWHERE: 0.08,
    Kind.SWAPPED: 0.06,
    Kind.MISSING: 0.07,
    Kind.GROUPED: 0.04,
    Kind.EXTRA: 0.06,
    Kind.NEEDLESS: 0.04,
    Kind.FORGOTTEN: 0.05,
    Kind.TYPE: 0.06,
}
"""The share of each kind among the errors, as far as the images have room for it."""
WRONG = 0.12
"""The share of gold chains that an error touches."""


def plant(
    images: Sequence[tuple[GoldImage, tuple[MentionProgress, ...]]],
    seed: int,
    wrong: float = WRONG,
    shares: Mapping[Kind, float] = SHARES,
) -> list[Wronged]:
    """Return the images with errors in this share of all gold chains; the same arguments give the same errors."""
    draw = Random(f"{seed} planted")
    made = [SpoiledImage(gold, mentions, draw) for gold, mentions in images]
    wanted = round(wrong * sum(len(gold.chains) for gold, _ in images))
    touched = 0
    for kind in _kinds(draw, shares):
        if touched >= wanted:
            break
        places = draw.sample(range(len(made)), min(len(made), TRIES))
        touched += next((found for place in places if (found := made[place].spoil(kind))), 0)
    return [one.done() for one in made]


def undo(said: GoldImage, mentions: tuple[MentionProgress, ...], draw: Random, wrong: float) -> GoldImage:
    """Return what may be the truth of labels of which this share is wrong, 0 to 1; which, nobody knows."""
    image = SpoiledImage(said, mentions, draw)
    wanted, kinds = sum(draw.random() < wrong for _ in image.free), _kinds(draw, {one: SHARES[one] for one in UNDONE})
    for kind in islice(kinds, TRIES):
        if wanted <= 0:
            break
        wanted -= image.spoil(kind, UNDONE)
    chains = tuple(
        GoldChain(str(place), label.mentions, label.scene, label.boxes)
        for place, label in enumerate(image.labels.values())
    )
    return replace(said, chains=chains, chain_of={number: chain for chain in chains for number in chain.mentions})


TRIES = 200


def _kinds(draw: Random, shares: Mapping[Kind, float]) -> Iterator[Kind]:
    names, weights = list(shares), list(shares.values())
    for _ in range(1_000_000):
        yield draw.choices(names, weights)[0]
