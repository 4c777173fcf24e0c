"""Halves of a data set [beyond paper 4.1.2]: images to fit on and images to score on, never the same ones."""

from collections.abc import Iterable, Sequence

import numpy as np


def halves(images: Iterable[str], seed: int = 0) -> tuple[list[str], list[str]]:
    """Return two sorted halves of the images by the seed; the second has the odd one. The order given plays no part."""
    names = sorted(set(images))
    order = np.random.default_rng(seed).permutation(len(names))
    middle = len(names) // 2
    return sorted(names[place] for place in order[:middle]), sorted(names[place] for place in order[middle:])


def folds(images: Sequence[str], count: int = 5) -> list[list[str]]:
    """Return disjoint parts that together are the images; every fold is used once to check what the others taught."""
    return [list(images[start::count]) for start in range(min(count, len(images)))]
