"""Bags [paper Yao 3.2]: the atoms of an image that an oracle may know, and bags in which some are wrong [Yao 5.3]."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor

import numpy as np

from evaluation.language.atoms import Atom

Bag = tuple[int, ...]
"""Numbers of atoms, each once, ascending."""


def bag(atoms: Iterable[Atom], numbers: Mapping[Atom, int]) -> Bag:
    """Return the numbers of those atoms that have one."""
    return tuple(sorted({numbers[atom] for atom in atoms if atom in numbers}))


def noise(own: Bag, accuracy: float, count: int, rng: np.random.Generator) -> Bag:
    """Return the bag with round((1 - accuracy) x its size) members replaced by atoms that it does not hold.

    `count`: the number of all atoms. Halves are rounded up. If fewer atoms are outside the bag than are to be
    replaced, only so many are.
    """
    others = np.setdiff1d(np.arange(count), own)
    wrong = min(floor((1 - accuracy) * len(own) + 0.5 + 1e-9), len(others))
    if not wrong:
        return own
    kept: Sequence[int] = rng.choice(own, len(own) - wrong, replace=False).tolist()
    return tuple(sorted([*kept, *rng.choice(others, wrong, replace=False).tolist()]))
