"""Bigram [paper Wang 4.2]: the likeliest first concept, then the likeliest to follow, until none is likely."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from evaluation.content_selection.scene import Scene


@dataclass
class BigramCounts:
    """The counts of concepts that a description refers to first, and of those that follow each concept."""

    first: Counter[str] = field(default_factory=Counter)
    after: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def bigram_counts(scenes: Sequence[Scene]) -> BigramCounts:
    """Return the counts over all descriptions: of first references, and of pairs with no other reference between."""
    counts = BigramCounts()
    for scene in scenes:
        concepts = {one.id: one.concept for one in scene.boxes}
        for own in scene.references:
            named = [concepts[box] for box in own]
            counts.first.update(named[:1])
            for one, other in pairwise(named):
                counts.after[one][other] += 1
    return counts


def bigram_order(concepts: Sequence[str], counts: BigramCounts) -> np.ndarray:
    """Return the indices of the chosen boxes, best first; ties: the earlier box.

    It ends as soon as no box that is left has a count above 0. So it may be short, or empty.
    """
    left = list(range(len(concepts)))
    chosen: list[int] = []
    likely: Mapping[str, int] = counts.first
    while left:
        best = max(left, key=lambda i: (likely.get(concepts[i], 0), -i))
        if not likely.get(concepts[best], 0):
            break
        chosen.append(best)
        left.remove(best)
        likely = counts.after.get(concepts[best], {})
    return np.array(chosen, dtype=int)
