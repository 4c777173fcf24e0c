"""Draw a truth for an image: its chains by the link prior, their boxes by their types."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.box import Box
from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, groups
from belief.links.beam import BeamSearch
from belief.links.group_belief import BEAM
from belief.links.partitions import Labels, PartitionWeights, all_partitions, posterior, ruled_out_matrix
from simulation.predict.belief import MERGED, Belief, BoxRate, type_of
from simulation.predict.hidden_chains import join_chains
from simulation.predict.reference_source import draw_truth
from simulation.predict.subject import Subject
from simulation.view import GoldChain, GoldImage

MOST_BOXES = 8
LEAST_SIDE, MOST_SIDE = 0.1, 0.5
"""The sides of a drawn box, in shares of the image's."""


class _Ways(NamedTuple):
    """The ways in which a group can fall into chains. `upto`: the chances of all ways up to each, summed."""

    mentions: tuple[LinkMention, ...]
    labels: Labels
    upto: NDArray[np.float64]


class TruthDrawer:
    """Truths of one image. The chances of its chains are computed once, for all draws."""

    def __init__(self, image: Subject, belief: Belief) -> None:
        self._image, self._belief = image, belief
        drawn = image.known is None and image.said is None
        self._ways = [_ways(group, belief) for group in groups(image.for_links())] if drawn else []

    def draw(self, draw: random.Random) -> GoldImage:
        """Return the known truth, or a new draw."""
        image, joined = self._image, self._belief.joined
        if image.known is not None:
            return image.known if image.from_gold else self._with_hidden(image.known, joined * (1 - MERGED), draw)
        if image.said is not None:
            return draw_truth(image, self._belief.wrong, draw)
        chains = [chain for ways in self._ways for chain in _fallen(ways, draw)]
        made = []
        for number, mentions in enumerate(join_chains(chains, image, self._belief.prior, joined, draw)):
            rate = self._belief.rates[type_of(image, mentions)]
            made.append(boxed(image, str(number), mentions, rate, draw))
        return _image(image, made)

    def _with_hidden(self, known: GoldImage, share: float, draw: random.Random) -> GoldImage:
        """Return a finished image's truth with chains joined that workers could not join."""
        boxes = {chain.mentions[0]: chain for chain in known.chains}
        chains = [list(chain.mentions) for chain in known.chains]
        joined = join_chains(chains, self._image, self._belief.prior, share, draw)
        return _image(self._image, [replace(boxes[mentions[0]], mentions=tuple(mentions)) for mentions in joined])


def _image(image: Subject, chains: Sequence[GoldChain]) -> GoldImage:
    chain_of = {number: chain for chain in chains for number in chain.mentions}
    return GoldImage(image.key, image.width, image.height, tuple(chains), chain_of)


def _ways(group: tuple[LinkMention, ...], belief: Belief) -> _Ways:
    ruled_out = ruled_out_matrix(link_group(group).ruled_out)
    weights = PartitionWeights(np.zeros(ruled_out.shape), *belief.prior.scores(group))
    partitions = all_partitions(ruled_out, BEAM)
    if partitions is None:
        beam = BeamSearch().find(ruled_out, weights, BEAM)
        return _Ways(group, beam.labels(), np.cumsum(beam.chances()))
    return _Ways(group, partitions.labels, np.cumsum(posterior(partitions, weights).chances))


def _fallen(ways: _Ways, draw: random.Random) -> list[list[int]]:
    row = min(int(np.searchsorted(ways.upto, draw.random())), len(ways.labels) - 1)
    chains: dict[int, list[int]] = {}
    for mention, label in zip(ways.mentions, ways.labels[row].tolist(), strict=True):
        chains.setdefault(label, []).append(mention.number)
    return list(chains.values())


def boxed(image: Subject, name: str, mentions: Sequence[int], rate: BoxRate, draw: random.Random) -> GoldChain:
    """Return a chain with as many boxes as its rate gives, at random places."""
    if draw.random() < rate.none:
        return GoldChain(name, tuple(mentions), draw.random() < rate.scene, ())
    count, more = 1, 1 - 1 / max(rate.mean, 1.0)
    while count < MOST_BOXES and draw.random() < more:
        count += 1
    return GoldChain(name, tuple(mentions), False, tuple(_box(image, draw) for _ in range(count)))


def _box(image: Subject, draw: random.Random) -> Box:
    width, height = (max(1, round(draw.uniform(LEAST_SIDE, MOST_SIDE) * side)) for side in (image.width, image.height))
    left, top = draw.randint(0, image.width - width), draw.randint(0, image.height - height)
    return Box(left, top, left + width, top + height)
