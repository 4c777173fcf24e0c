"""Known chains of images, the prior that they give, and vectors of their phrases [beyond paper 3.1.1]."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pipeline.learning.vectors_of_phrases import make_vectors
from pipeline.rules.linking.fits.fit_joins import with_joins
from pipeline.rules.linking.fits.fit_link_prior import fit_link_prior
from pipeline.rules.linking.fits.fit_rule_keeping import with_rule_keeping
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, groups
from simulation.compare_strategies import BedImage

Image = TypeVar("Image")
Known = tuple[Sequence[LinkMention], Sequence[str]]
"""Mentions, and the gold chain of each."""


def known(image: BedImage) -> Known:
    return image.mentions, [image.gold[mention.number] for mention in image.mentions]


def known_groups(images: Iterable[Known]) -> Iterator[Known]:
    """Yield every group of mentions of these images."""
    for mentions, chains in images:
        chain_of = {mention.number: chain for mention, chain in zip(mentions, chains, strict=True)}
        for group in groups(mentions):
            yield group, [chain_of[mention.number] for mention in group]


def fit_known(images: Iterable[Known], alike: Mapping[str, float] | None = None) -> LinkPrior:
    """Return a prior as `manage.py fit_link_prior` makes it of images with gold."""
    images = list(images)
    prior = fit_link_prior(known_groups(images), alike=alike)
    return with_joins(with_rule_keeping(prior, images), images)


def with_vectors(bed: Sequence[BedImage]) -> list[BedImage]:
    """Return the images with a vector of each phrase. Raises ValueError without the package."""
    texts = [" ".join(mention.words) for image in bed for mention in image.mentions]
    given = iter(make_vectors(texts))
    return [
        replace(image, mentions=tuple(mention._replace(vector=next(given)) for mention in image.mentions))
        for image in bed
    ]


def folds_of(bed: Sequence[Image], folds: int, images: int, seed: int) -> Iterator[tuple[list[Image], list[Image]]]:
    """Yield disjoint samples of so many images, each with the images outside it."""
    shuffled = random.Random(f"folds {seed}").sample(list(bed), len(bed))
    for first in range(0, folds * images, images):
        yield shuffled[first : first + images], [*shuffled[:first], *shuffled[first + images :]]
