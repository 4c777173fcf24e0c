"""Priors from which the truth of an image is drawn as long as nobody knows it: of its chains, and of their boxes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from annotation.rules.mention_type import MentionType
from annotation.rules.transitivity import groups
from belief.links.fit_link_prior import GoldGroup, fit_link_prior
from belief.links.link_prior import DEFAULT, WORDLESS, LinkPrior, block_type
from pipeline.settings.settings import Settings
from simulation.predict.subject import Subject
from simulation.score import ANSWERS, broken_rule

WITH_WORDS = replace(WORDLESS, pairs=DEFAULT.pairs)
"""The prior of a project that has no fitted one: drawn chains then have the sizes of table 4."""
JOINED, ACROSS = 0.079, 0.45
"""The share of chains that links cannot make, and the part of them that is one thing under two types; the others are
named twice in a caption. Of the 3,021 chains with boxes in half of the released test split 239 are such."""
MERGED = 0.4
"""The part of these that merging finds: a finished image shows them."""
PULL = 20
"""Imagined chains of each type with the paper's boxes, added to the known ones: a few say little."""
ENOUGH = 40
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
    images = [one for one in known if one.known is not None]
    prior = fitted
    if prior is None and len(images) >= ENOUGH:
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
