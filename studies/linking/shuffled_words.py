"""Shuffled words [beyond paper 3.1.1]: a test bed whose texts say nothing of which mentions are one thing."""

import random
from collections.abc import Sequence
from dataclasses import replace

from pipeline.rules.linking.transitivity import LinkMention
from simulation.compare_strategies import BedImage


def shuffle_words(bed: Sequence[BedImage], seed: int) -> list[BedImage]:
    """Give every mention the words of another one, of whatever image, and those before it.

    Caption, place, types and gold stay.
    """
    said = [(mention.head, mention.words, mention.before) for image in bed for mention in image.mentions]
    random.Random(f"words {seed}").shuffle(said)
    given = iter(said)
    return [
        replace(image, mentions=tuple(_with_words(mention, *next(given)) for mention in image.mentions))
        for image in bed
    ]


def _with_words(mention: LinkMention, head: str, words: tuple[str, ...], before: tuple[str, ...]) -> LinkMention:
    return mention._replace(head=head, words=words, before=before)
