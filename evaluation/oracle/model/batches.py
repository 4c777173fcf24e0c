"""Batches of captions of similar length, so that little of them is padding."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.optional import need
from evaluation.oracle.bag import Bag
from evaluation.oracle.model.vocabulary import PAD

torch = need("torch", "training a language model")
POOL = 40
"""Batches that are drawn together and sorted by length."""

Example = tuple[Sequence[int], Bag]
"""A caption's word numbers, and the atoms that it is to be said with."""


def shuffled(examples: Sequence[Example], size: int, rng: np.random.Generator) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, in random order."""
    order = rng.permutation(len(examples)).tolist()
    batches: list[list[Example]] = []
    for start in range(0, len(order), size * POOL):
        pool = sorted((examples[place] for place in order[start : start + size * POOL]), key=lambda one: len(one[0]))
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return [batches[place] for place in rng.permutation(len(batches)).tolist()]


def in_order(examples: Sequence[Example], size: int) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, as they stand."""
    return [list(examples[first : first + size]) for first in range(0, len(examples), size)]


def padded(captions: Sequence[Sequence[int]]) -> Any:
    """Return the captions as columns: a tensor of shape (longest, captions)."""
    found = np.full((max(map(len, captions)), len(captions)), PAD, dtype=np.int64)
    for column, caption in enumerate(captions):
        found[: len(caption), column] = caption
    return torch.from_numpy(found)
