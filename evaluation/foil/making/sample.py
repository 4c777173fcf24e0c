"""Sampling [beyond paper Shekhar, Dataset]: foils are drawn as often as they are targets, or all alike.

A word that is often a foil and seldom a target tells a model that sees no image which captions are wrong. By frequency,
each word is drawn in proportion to how often it still has to be drawn, so that it becomes a foil at most as often as
it is a target; a caption whose foils are all used up is left out.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from evaluation.foil.making.lexicon import Word

FREQUENCY, UNIFORM = "frequency", "uniform"
SAMPLING = (FREQUENCY, UNIFORM)


class Stock:
    """The foils that are left to draw, by word and number; without limits if sampling is uniform."""

    def __init__(self, sampling: str) -> None:
        self.is_limited = sampling == FREQUENCY
        self._left: defaultdict[tuple[str, bool], float] = defaultdict(float)

    def add(self, targets: Sequence[tuple[Word, bool]]) -> None:
        """Add the possible targets of a caption, each with whether it is a plural: together they are one target."""
        for word, plural in targets:
            self._left[word.word, plural] += 1 / len(targets)

    def weights(self, foils: Sequence[Word], *, plural: bool) -> np.ndarray:
        """Return how often each foil is left; 1 for each if sampling is uniform."""
        if not self.is_limited:
            return np.ones(len(foils))
        return np.array([max(0.0, self._left[foil.word, plural]) for foil in foils])

    def take(self, foil: Word, *, plural: bool) -> None:
        """Count one that was drawn."""
        self._left[foil.word, plural] -= 1


def drawn(weights: np.ndarray, rng: np.random.Generator) -> int:
    """Return a place in proportion to its weight. Raises ValueError if no weight is above 0."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))
