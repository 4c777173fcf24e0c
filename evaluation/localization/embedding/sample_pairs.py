"""Pairs to learn from [paper 4.1.1]: at most N random regions of each phrase, or common phrases would rule."""

from collections.abc import Sequence

import numpy as np

REGIONS = 10


def sample_pairs(phrases: Sequence[str], *, most: int = REGIONS, seed: int = 0) -> list[int]:
    """Return the places of the pairs to keep, in their order: at most `most` of each phrase in lower case, at random.

    A pair is a mention with its region; a mention with several boxes has their union as region.
    """
    places: dict[str, list[int]] = {}
    for place, phrase in enumerate(phrases):
        places.setdefault(phrase.lower(), []).append(place)
    generator = np.random.default_rng(seed)
    kept: list[int] = []
    for found in places.values():
        chosen = generator.permutation(len(found))[:most] if len(found) > most else range(len(found))
        kept += [found[number] for number in chosen]
    return sorted(kept)
