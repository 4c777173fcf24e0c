"""Known chains of images, and vectors of their phrases [beyond paper 3.1.1]."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from annotation.rules.transitivity import LinkMention
from belief.links.fit_known import fit_joins, joins_of
from pipeline.learning.vectors_of_phrases import make_vectors
from simulation.bed_image import BedImage

Image = TypeVar("Image")
Known = tuple[Sequence[LinkMention], Sequence[str]]
"""Mentions, and the gold chain of each."""


def known(image: BedImage) -> Known:
    return image.mentions, [image.gold[mention.number] for mention in image.mentions]


def whole(image: BedImage) -> Known:
    """Return the mentions, and the chain of each as it was before gold was split."""
    return image.mentions, [image.whole[mention.number] for mention in image.mentions]


def joins_of_others(images: Iterable[Known]) -> dict[str, float]:
    """Return weights of joins that these images alone tell. The defaults were fitted on the images of the studies."""
    return fit_joins([joins_of(*image) for image in images], {})


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
