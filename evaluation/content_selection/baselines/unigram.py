"""Unigram [paper Wang 4.2]: the box first whose concept descriptions refer to most often."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.content_selection.scene import Scene


def unigram_counts(scenes: Sequence[Scene]) -> Counter[str]:
    """Return the number of references to each concept, repeats in a description included."""
    counts: Counter[str] = Counter()
    for scene in scenes:
        concepts = {one.id: one.concept for one in scene.boxes}
        counts.update(concepts[box] for own in scene.references for box in own)
    return counts


def unigram_order(concepts: Sequence[str], counts: Mapping[str, int]) -> np.ndarray:
    """Return the indices of the boxes by falling count of their concepts; ties keep their order."""
    return np.argsort([-counts.get(one, 0) for one in concepts], kind="stable")
