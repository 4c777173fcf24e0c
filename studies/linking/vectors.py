"""Vectors of the phrases of a test bed, as a service with PHRASE_VECTORS keeps them."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.learning.vectors_of_phrases import make_vectors
from simulation.compare_strategies import BedImage


def with_vectors(bed: Sequence[BedImage]) -> list[BedImage]:
    """Return the images with a vector of each phrase. Raises ValueError without the package."""
    texts = [" ".join(mention.words) for image in bed for mention in image.mentions]
    given = iter(make_vectors(texts))
    return [
        replace(image, mentions=tuple(mention._replace(vector=next(given)) for mention in image.mentions))
        for image in bed
    ]
