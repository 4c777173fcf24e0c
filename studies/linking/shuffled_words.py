"""Shuffled words [beyond paper 3.1.1]: a test bed whose texts say nothing of which mentions are one thing."""

import random
from collections.abc import Sequence
from dataclasses import replace

from pipeline.rules.linking.transitivity import LinkMention
from simulation.compare_strategies import BedImage


def shuffle_words(bed: Sequence[BedImage], seed: int) -> list[BedImage]:
    """Give every mention the words of another one, of whatever image, with those before it and their vector.

    Caption, place, types and gold stay.
    """
    said = [mention for image in bed for mention in image.mentions]
    random.Random(f"words {seed}").shuffle(said)
    given = iter(said)
    return [
        replace(image, mentions=tuple(_with_words(mention, next(given)) for mention in image.mentions)) for image in bed
    ]


def _with_words(mention: LinkMention, other: LinkMention) -> LinkMention:
    return mention._replace(head=other.head, words=other.words, before=other.before, vector=other.vector)
