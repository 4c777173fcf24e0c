"""Truths of a forecast: chains and boxes as they may be, drawn by what is believed of links and boxes."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.box import Box
from annotation.rules.link_group import link_group
from annotation.rules.mention_type import MentionType
from annotation.rules.transitivity import LinkMention, groups, reading_order
from belief.links.beam import BeamSearch
from belief.links.fit_link_prior import GoldGroup, fit_link_prior
from belief.links.group_belief import BEAM
from belief.links.join_features import chain_pairs
from belief.links.link_prior import DEFAULT, WORDLESS, LinkPrior, block_type
from belief.links.partitions import Labels, all_partitions, posterior, ruled_out_matrix
from pipeline.settings.settings import Settings
from simulation.predict.subject import Subject, draw_truth
from simulation.score import ANSWERS, broken_rule
from simulation.view import TrueChain, TrueImage

WITH_WORDS = replace(WORDLESS, pairs=DEFAULT.pairs)
"""The prior of a project that has no fitted one: drawn chains then have the sizes of table 4."""
JOINED, ACROSS = 0.079, 0.45
"""The share of chains that links cannot make, and the part of them that is one thing under two types; the others are
named twice in a caption. Of the 3,021 chains with boxes in half of the released test split 239 are such."""
MERGED = 0.4
"""The part of these that merging finds: a finished image shows them."""
PULL = 20
"""Imagined chains of each type with the paper's boxes, added to the known ones: a few say little."""
MIN_IMAGES_TO_FIT = 40
"""Images with known chains from which a prior of their own is fitted."""


class BoxRate(NamedTuple):
    """The boxes of chains of one type."""

    none: float
    """The share of chains without a box, 0 to 1."""
    scene: float
    """The share of scenes among these."""
    mean: float
    """Boxes per chain, among chains with any."""


PAPER_RATES: Mapping[str, BoxRate] = {
    "people": BoxRate(0.01, 0.0, 1.97),
    "clothing": BoxRate(0.02, 0.0, 1.47),
    "body parts": BoxRate(0.02, 0.0, 1.45),
    "animals": BoxRate(0.01, 0.0, 1.45),
    "vehicles": BoxRate(0.02, 0.0, 1.23),
    "instruments": BoxRate(0.02, 0.0, 1.64),
    "scene": BoxRate(0.60, 0.9, 1.55),
    "other": BoxRate(0.25, 0.1, 1.39),
}
"""Boxes per chain as in table 4 of the paper. The shares without a box are assumed: a fifth of all chains has none."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Everything that a truth is drawn from."""

    prior: LinkPrior = WITH_WORDS
    rates: Mapping[str, BoxRate] = field(default_factory=lambda: PAPER_RATES)
    joined: float = JOINED
    fitted: bool = False
    """Whether the prior was fitted, on this project or on others."""
    wrong: float = 0.0
    """The share of wrong labels of a source that is checked, 0 to 1."""
    learned_from: int = 0
    """Images with known chains that the boxes, and perhaps the prior, were learned from."""


def belief_of(known: Iterable[Subject], fitted: LinkPrior | None = None) -> Belief:
    """Return the priors: those of the paper, moved towards the known images.

    `fitted`: the link prior of the project's settings, if it has one; else one is fitted on enough known images.
    """
    images = [image for image in known if image.known is not None]
    prior = fitted
    if prior is None and len(images) >= MIN_IMAGES_TO_FIT:
        prior = _fit(images)
    return Belief(
        prior=prior or WITH_WORDS,
        rates=_rates(images),
        joined=_joined([image for image in images if image.from_gold]),
        fitted=prior is not None,
        learned_from=len(images),
    )


def fitted_prior(settings: Settings) -> LinkPrior | None:
    """Return the link prior of a project's settings; None if that is the default."""
    prior = settings.learned.links
    return None if prior == DEFAULT else prior


def _fit(images: Iterable[Subject]) -> LinkPrior | None:
    try:
        return fit_link_prior(group for image in images for group in _groups(image))
    except ValueError:  # no group that the rules allow
        return None


def _groups(image: Subject) -> Iterable[GoldGroup]:
    assert image.known is not None
    chain_of = image.known.chain_of
    for group in groups(link for link in image.for_links() if link.number in chain_of):
        yield group, [chain_of[mention.number].name for mention in group]


def type_of(image: Subject, mentions: Iterable[int]) -> str:
    """Return the type by which the boxes of a chain are drawn."""
    wanted = set(mentions)
    return block_type([link for link in image.for_links() if link.number in wanted]) or MentionType.OTHER.value


def _rates(images: Iterable[Subject]) -> Mapping[str, BoxRate]:
    """Return shares and means by type: the known chains, and `PULL` imagined ones as in the paper."""
    chains, without, scenes, boxes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for image in images:
        for chain in image.known.chains if image.known else ():
            kind = type_of(image, chain.mentions)
            chains[kind] += 1
            without[kind] += not chain.boxes
            scenes[kind] += not chain.boxes and chain.scene
            boxes[kind] += len(chain.boxes)
    found = {}
    for kind, paper in PAPER_RATES.items():
        all_of_them, empty = chains[kind] + PULL, without[kind] + PULL * paper.none
        with_boxes = PULL * (1 - paper.none)
        found[kind] = BoxRate(
            empty / all_of_them,
            (scenes[kind] + PULL * paper.none * paper.scene) / empty,
            (boxes[kind] + with_boxes * paper.mean) / (chains[kind] - without[kind] + with_boxes),
        )
    return found


def _joined(images: Iterable[Subject]) -> float:
    """Return the share of chains that links cannot make: the known ones, and imagined ones as above."""
    chains = joined = 0
    for image in images:
        mentions = {mention.number: mention for mention in image.mentions}
        for chain in image.known.chains if image.known else ():
            own = [mentions[number] for number in chain.mentions if number in mentions]
            chains += 1
            joined += broken_rule(own) != ANSWERS
    pulled = PULL * len(PAPER_RATES)
    return (joined + pulled * JOINED) / (chains + pulled)


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
        mine = next((other for other in left if chain[0] in other), chain)
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
    for other in left:
        apart = types.isdisjoint(_types(other, mentions))
        same_caption = not captions.isdisjoint(_captions(other, mentions))
        if other is not mine and apart != same_caption:
            (across if apart else twice).append(other)
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
        drawn = image.known is None and image.source_labels is None
        self._ways = [_ways(group, belief) for group in groups(image.for_links())] if drawn else []

    def draw(self, draw: random.Random) -> TrueImage:
        """Return the known truth, or a new draw."""
        image, joined = self._image, self._belief.joined
        if image.known is not None:
            return image.known if image.from_gold else self._with_hidden(image.known, joined * (1 - MERGED), draw)
        if image.source_labels is not None:
            return draw_truth(image, self._belief.wrong, draw)
        chains = [chain for ways in self._ways for chain in _fallen(ways, draw)]
        made = []
        for number, mentions in enumerate(join_chains(chains, image, self._belief.prior, joined, draw)):
            rate = self._belief.rates[type_of(image, mentions)]
            made.append(boxed(image, str(number), mentions, rate, draw))
        return _image(image, made)

    def _with_hidden(self, known: TrueImage, share: float, draw: random.Random) -> TrueImage:
        """Return a finished image's truth with chains joined that workers could not join."""
        boxes = {chain.mentions[0]: chain for chain in known.chains}
        chains = [list(chain.mentions) for chain in known.chains]
        joined = join_chains(chains, self._image, self._belief.prior, share, draw)
        return _image(self._image, [replace(boxes[mentions[0]], mentions=tuple(mentions)) for mentions in joined])


def _image(image: Subject, chains: Sequence[TrueChain]) -> TrueImage:
    return TrueImage(image.key, image.width, image.height, tuple(chains))


def _ways(group: tuple[LinkMention, ...], belief: Belief) -> _Ways:
    ruled_out = ruled_out_matrix(link_group(group).ruled_out)
    weights = belief.prior.weights(group)
    partitions = all_partitions(ruled_out, BEAM) if weights.antecedents is None else None
    if partitions is None:
        beam = BeamSearch().find(ruled_out, weights, BEAM)
        return _Ways(group, beam.labels(), np.cumsum(beam.chances))
    return _Ways(group, partitions.labels, np.cumsum(posterior(partitions, weights).chances))


def _fallen(ways: _Ways, draw: random.Random) -> list[list[int]]:
    row = min(int(np.searchsorted(ways.upto, draw.random())), len(ways.labels) - 1)
    chains: dict[int, list[int]] = {}
    for mention, label in zip(ways.mentions, ways.labels[row].tolist(), strict=True):
        chains.setdefault(label, []).append(mention.number)
    return list(chains.values())


def boxed(image: Subject, name: str, mentions: Sequence[int], rate: BoxRate, draw: random.Random) -> TrueChain:
    """Return a chain with as many boxes as its rate gives, at random places."""
    if draw.random() < rate.none:
        return TrueChain(name, tuple(mentions), draw.random() < rate.scene, ())
    count, more = 1, 1 - 1 / max(rate.mean, 1.0)
    while count < MOST_BOXES and draw.random() < more:
        count += 1
    return TrueChain(name, tuple(mentions), False, tuple(_box(image, draw) for _ in range(count)))


def _box(image: Subject, draw: random.Random) -> Box:
    width, height = (max(1, round(draw.uniform(LEAST_SIDE, MOST_SIDE) * side)) for side in (image.width, image.height))
    left, top = draw.randint(0, image.width - width), draw.randint(0, image.height - height)
    return Box(left, top, left + width, top + height)
