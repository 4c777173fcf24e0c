"""Folds [beyond paper Shekhar, Baseline Models]: items of one pair, or of one image, are all in the same fold."""

from collections.abc import Callable, Sequence

import numpy as np

from evaluation.foil.item import Item

GROUPS: dict[str, Callable[[Item], str]] = {
    "pair": lambda item: " > ".join(item.pair),
    "unordered_pair": lambda item: " and ".join(sorted(item.pair)),
    "image": lambda item: item.image,
}
"""The things that folds keep together, by name."""


def folds_of(items: Sequence[Item], group: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each item, from 0. Groups are dealt out at random, so that folds have equally many groups."""
    own = [GROUPS[group](item) for item in items]
    names = sorted(set(own))
    fold = {names[int(one)]: place % count for place, one in enumerate(rng.permutation(len(names)))}
    return np.array([fold[name] for name in own])
